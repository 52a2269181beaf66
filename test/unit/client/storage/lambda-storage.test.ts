import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DurableContext } from '../../../../src/client/storage/lambda/durable-context-storage.js';
import { LambdaDurableStorage } from '../../../../src/client/storage/lambda/lambda-durable-storage.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import type { StorageBackend } from '../../../../src/client/storage/storage-backend.js';
import type { TactusError } from '../../../../src/contract/errors.js';
import { awsCredentials } from '../../../support/aws-credentials.js';
import {
  hasDurableFunctions,
  startDurableFunctions,
  type TestDurableFunctions,
} from '../../../support/durable-functions.js';
import { waitUntil } from '../../../support/wait-until.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { entry, growth } from './storage-suite/samples.js';
import { newPlace } from './storage-suite/tested-backend.js';
import { WithinExecutions } from './storage-suite/within-executions.js';

const otherNames = 'the name of an execution has letters, digits, - and _, and 64 at most';

describe.skipIf(!hasDurableFunctions)('with the local runner of durable functions', () => {
  let server: TestDurableFunctions;
  const functions = new Map<string, WithinExecutions>();

  beforeAll(async () => {
    for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    server = await startDurableFunctions();
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    vi.unstubAllEnvs();
  });

  const open = (name: string): Promise<LambdaDurableStorage> =>
    LambdaDurableStorage.open(server.address(name));

  describeStorageBackend({
    name: 'Lambda',
    real: 'local runner of durable functions 1.4',
    many: 100,
    open: (place) => {
      const within = functions.get(place) ?? new WithinExecutions(server, place);
      functions.set(place, within);
      return within.open();
    },
    unable: [
      [
        /deletes them|deleted|other kinds|comes and goes|each procedure where it stands/,
        'Lambda deletes nothing',
      ],
      [/entries before are missing/, 'an execution is there before it has recorded anything'],
      [/^"|never takes one|question to a database|differ in letters|order of characters/, otherNames],
      [/of a (thread|ledger)/, otherNames],
      [/refuses (nothing|half a character|the other half)/, otherNames],
      [/of 10 MB|20,000 entries/, 'it takes the local runner too long'],
      [/many records|many procedures|pages of a status/, 'the local runner has six invocations at a time'],
    ],
  });

  it('keeps a record over the invocations of an execution, whatever else the function does', async () => {
    const name = newPlace();
    const begun: string[] = [];
    server.serve<{ fast: boolean }>(name, async (_, context) => {
      const storage = await LambdaDurableStorage.within(context, 'order-1');
      const { execution_log: log, status } = await storage.loadProcedureMetadata('order-1');
      begun.push(`${status} ${log.length}`);
      if (log.length === 0) await storage.append?.('order-1', growth(0, [entry(0, 'first')]));
      await context.step('pack', async () => storage.stateSet('order-1', 'packed', true));
      await context.wait('pause', { seconds: 1 });
      await Promise.all([
        context.step('one', async () => 1),
        storage.stateSet('order-1', `invocation ${begun.length}`, true),
        context.step('two', async () => 2),
      ]);
      await storage.updateProcedureStatus('order-1', 'WAITING_FOR_HUMAN', 'order-1/1');
      const answer = await context.waitForCallback<string>('ask', async () => undefined);
      await storage.append?.('order-1', growth(1, [entry(1, JSON.parse(answer) as boolean)]));
      return 'done';
    });
    await server.start(name, 'order-1');
    const storage = await open(name);
    await waitUntil(
      async () => (await storage.listCheckpoints({ status: 'WAITING_FOR_HUMAN' })).length === 1,
    );
    expect(await storage.loadCheckpoint('order-1')).toMatchObject({
      ...{ procedure_id: 'order-1', status: 'WAITING_FOR_HUMAN', waiting_on_message_id: 'order-1/1' },
      state: { count: 1, packed: true, 'invocation 2': true },
      execution_log: [{ result: 'first' }],
    });
    await storage.answer('order-1', { approved: true });
    await waitUntil(async () => (await storage.listCheckpoints({ status: 'COMPLETED' })).length === 1);
    expect(await storage.loadCheckpoint('order-1')).toMatchObject({
      ...{ status: 'COMPLETED', waiting_on_message_id: null, replay_index: 2 },
      execution_log: [{ result: 'first' }, { result: { approved: true } }],
    });
    expect(begun).toEqual(['RUNNING 0', 'RUNNING 1', 'WAITING_FOR_HUMAN 1']);
    await expect(storage.answer('order-1', true)).rejects.toMatchObject({ code: 'request_unknown' });
    await expect(storage.answer('nobody', true)).rejects.toMatchObject({ code: 'run_not_found' });
    await storage.close();
  });

  it('shows functions that keep no record by what they do', async () => {
    const name = newPlace();
    let attempts = 0;
    server.serve<string>(name, async (way, context) => {
      if (way === 'fails') throw new Error('on purpose');
      if (way === 'sleeps') return context.wait('long', { hours: 1 });
      const count = await context.step('count', async () => ({ n: 1 }));
      const late = await context.step(
        'late',
        async () => {
          attempts += 1;
          if (attempts === 1) throw new Error('not yet');
          return attempts;
        },
        { retryStrategy: () => ({ shouldRetry: true, delay: { seconds: 1 } }) },
      );
      await context
        .step('bad', () => Promise.reject(new Error('no such order')), {
          retryStrategy: () => ({ shouldRetry: false }),
        })
        .catch(() => undefined);
      await context.parallel('both', [async (branch) => branch.step('inner', async () => count.n + late)]);
      const [first] = await context.createCallback('first');
      const [second] = await context.createCallback('second');
      return [await first, await second];
    });
    const ids = ['asks', 'fails', 'runs-out', 'sleeps', 'stopped'];
    const arns = new Map<string, string>();
    for (const id of ids) {
      const options = {
        input: id === 'fails' || id === 'asks' ? id : 'sleeps',
        timeoutSeconds: id === 'runs-out' ? 1 : 60,
      };
      arns.set(id, await server.start(name, id, options));
    }
    const storage = await openStorage(server.address(name));
    const standing = async (status: string) => storage.listCheckpoints({ status });
    await waitUntil(async () => (await standing('WAITING_FOR_TIME')).includes('stopped'));
    const arn = encodeURIComponent(arns.get('stopped') ?? '');
    await fetch(`${server.endpoint}/2025-12-01/durable-executions/${arn}/stop`, { method: 'POST' });
    await waitUntil(async () => (await storage.loadProcedureMetadata('asks')).status === 'WAITING_FOR_HUMAN');
    await waitUntil(async () => (await standing('TIMED_OUT')).length === 1);
    expect(await storage.listCheckpoints()).toEqual(ids);
    expect(await storage.listCheckpoints({ prefix: 's', limit: 1 })).toEqual(['sleeps']);
    expect(await storage.listCheckpoints({ after: 'runs-out' })).toEqual(['sleeps', 'stopped']);
    expect(await standing('FAILED')).toEqual(['fails']);
    expect(await standing('TERMINATED')).toEqual(['stopped']);
    expect(await standing('TIMED_OUT')).toEqual(['runs-out']);
    expect(await standing('WAITING_FOR_TIME')).toEqual(['sleeps']);
    expect(await standing('WAITING_FOR_HUMAN')).toEqual(['asks']);
    expect(await standing('RUNNING')).toEqual([]);

    const asks = await storage.loadProcedureMetadata('asks');
    expect(asks).toMatchObject({
      ...{ procedure_id: 'asks', state: {}, replay_index: 4 },
      execution_log: [
        { position: 0, type: 'step', result: { n: 1 }, run_id: 'asks' },
        { position: 1, type: 'step', result: 2 },
        { position: 2, type: 'step', result: { error: { message: 'no such order' } } },
        { position: 3, type: 'parallel' },
      ],
    });
    const answering = await open(name);
    const several = (await answering.answer('asks', 1).catch((error: unknown) => error)) as TactusError;
    const requests = several.details['requests'] as string[];
    expect([several.code, requests[0]]).toEqual(['usage', asks.waiting_on_message_id]);
    await expect(answering.answer('asks', 1, 'another')).rejects.toMatchObject({ code: 'request_unknown' });
    await expect(answering.answer('asks', 'x'.repeat(300_000), requests[0])).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    await answering.answer('asks', 'one', requests[0]);
    await answering.answer('asks', 'two');
    await waitUntil(async () => (await standing('COMPLETED')).length === 1);
    const { execution_log: log } = await storage.loadProcedureMetadata('asks');
    expect(log.slice(4)).toMatchObject([
      { position: 4, type: 'callback', result: 'one' },
      { position: 5, type: 'callback', result: 'two' },
    ]);
    await Promise.all([storage.close?.(), answering.close()]);
  });

  it('takes no writing from outside, and deletes nothing', async () => {
    const storage: StorageBackend = await open(newPlace());
    const record = await storage.loadProcedureMetadata('run-1');
    for (const refused of [
      storage.saveProcedureMetadata('run-1', record),
      storage.saveCheckpoint('run-1', {}),
      storage.updateProcedureStatus('run-1', 'COMPLETED'),
      storage.setState('run-1', {}),
      storage.stateSet('run-1', 'a', 1),
    ])
      await expect(refused).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('only its own function') as string,
      });
    await expect(storage.deleteCheckpoint('run-1')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('until its retention is over') as string,
    });
    await storage.close?.();
  });

  it('has in an invocation the record of its own execution alone', async () => {
    const name = newPlace();
    const told: unknown[] = [];
    server.serve(name, async (_, context) => {
      const { code } = (await LambdaDurableStorage.within(context).catch(
        (error: unknown) => error,
      )) as TactusError;
      const storage = await LambdaDurableStorage.within(context, 'mine');
      for (const attempt of [
        () => storage.stateSet('other', 'a', 1),
        () => storage.loadCheckpoint('other'),
        () => storage.deleteCheckpoint('mine'),
      ])
        await (async () => attempt())().catch((error: unknown) => told.push((error as TactusError).code));
      told.push(code, storage.procedureId, await storage.listCheckpoints());
      await storage.setState('mine', { a: 1 });
      told.push(await storage.listCheckpoints({ prefix: 'm', status: 'RUNNING' }));
    });
    await server.start(name, 'mine');
    await waitUntil(async () => told.length === 7);
    expect(told).toEqual(['usage', 'usage', 'usage', 'usage', 'mine', [], ['mine']]);
  });
});

/** The local runner refuses nobody, and has short answers: what Lambda says otherwise is said by a stand-in. */
describe('what Lambda says', () => {
  async function standIn(
    answer: (url: URL) => object | { status: number; type: string; message: string },
  ): Promise<{ address: string; asked: string[] }> {
    for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    const asked: string[] = [];
    const lambda = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://lambda');
      const signed = /Credential=local\/\d{8}\/(\S+)\/aws4_request, /.exec(
        request.headers.authorization ?? '',
      )?.[1];
      asked.push(`${signed} ${request.method} ${decodeURIComponent(url.pathname)}${url.search}`);
      const { status = 200, type, ...body } = answer(url) as { status?: number; type?: string };
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(type === undefined ? {} : { 'x-amzn-errortype': type }),
      });
      response.end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => void lambda.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      lambda.closeAllConnections();
      lambda.close();
    });
    const { port } = lambda.address() as AddressInfo;
    return { address: `lambda:orders?region=eu-west-1&endpoint=http://127.0.0.1:${port}`, asked };
  }

  const arn = (name: string): string =>
    `arn:aws:lambda:eu-west-1:123456789012:function:orders:$LATEST/durable-execution/${name}/1`;
  const execution = (DurableExecutionName: string, Status: string, StartTimestamp: number): object => ({
    ...{
      DurableExecutionArn: arn(DurableExecutionName),
      DurableExecutionName,
      FunctionArn: 'f',
      Status,
      StartTimestamp,
    },
  });
  const event = (EventType: string, Id: string, more: object = {}): object => ({
    EventType,
    Id,
    EventTimestamp: 1_790_000_000,
    ...more,
  });

  it('in pages, signed, of several executions that had one name the last', async () => {
    const { address, asked } = await standIn((url) => {
      const isSecond = url.searchParams.get('Marker') === 'next';
      if (url.pathname.endsWith('/history'))
        return isSecond
          ? {
              Events: [
                event('StepSucceeded', 's', {
                  StepSucceededDetails: { Result: { Payload: 'text', Truncated: true } },
                }),
              ],
            }
          : { Events: [event('ExecutionStarted', 'e'), event('StepStarted', 's')], NextMarker: 'next' };
      return isSecond
        ? { DurableExecutions: [execution('b', 'RUNNING', 30), execution('a', 'FAILED', 20)] }
        : {
            DurableExecutions: [execution('b', 'FAILED', 10), execution('ab', 'RUNNING', 40)],
            NextMarker: 'next',
          };
    });
    const storage = await openStorage(address);
    expect(await storage.listCheckpoints()).toEqual(['a', 'ab', 'b']);
    expect(await storage.listCheckpoints({ status: 'FAILED' })).toEqual(['a']);
    asked.length = 0;
    expect(await storage.loadCheckpoint('b')).toMatchObject({
      status: 'RUNNING',
      execution_log: [{ position: 0, type: 'step', result: { cut: 'text' } }],
    });
    const list = 'eu-west-1/lambda GET /2025-12-01/functions/orders/durable-executions';
    const history = `eu-west-1/lambda GET /2025-12-01/durable-executions/${arn('b')}/history`;
    expect(asked.map((each) => each.split('?')[0])).toEqual([list, list, history, history]);
    await storage.close?.();
  });

  it.each<[string, object]>([
    ['of which Lambda shows a part', { Result: { Payload: '{"set"', Truncated: true } }],
    ['that is no change', { Result: { Payload: '{"set": {}}' } }],
    ['that is no JSON', { Result: { Payload: 'x' } }],
  ])('and a record %s is damaged', async (_what, StepSucceededDetails) => {
    const { address } = await standIn((url) =>
      url.pathname.endsWith('/history')
        ? {
            Events: [
              event('ContextStarted', 'c', { Name: 'tactus', SubType: 'RunInChildContext' }),
              event('StepSucceeded', 's', { ParentId: 'c', Name: 'record', StepSucceededDetails }),
            ],
          }
        : { DurableExecutions: [execution('run-1', 'SUCCEEDED', 1), execution('run-2', 'RUNNING', 1)] },
    );
    const storage = await openStorage(address);
    await expect((async () => storage.loadCheckpoint('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('"run-1" in Lambda is damaged') as string,
    });
    // One that goes on stands nowhere as long as it can't be read, and hides no other.
    expect(await storage.listCheckpoints({ status: 'COMPLETED' })).toEqual(['run-1']);
    expect(await storage.listCheckpoints({ status: 'RUNNING' })).toEqual([]);
    await storage.close?.();
  });

  it.each([
    [404, 'ResourceNotFoundException', 'Function not found: orders', 'There is no such function'],
    [403, 'AccessDeniedException', 'no', 'Whoever asks is not allowed to'],
    [403, 'UnrecognizedClientException', 'no', 'The credentials are not taken'],
    [502, 'KMSAccessDeniedException', 'no', 'It failed'],
  ])('%d %s is told as what it is', async (status, type, message, told) => {
    const { address } = await standIn(() => ({ status, type, message }));
    const storage = await openStorage(address);
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining(`Lambda, function "orders": ${told}`) as string,
    });
    await storage.close?.();
  });

  it('by its ARN, what an execution is called', async () => {
    const context: DurableContext = {
      executionContext: { durableExecutionArn: arn('order-1') },
      step: async (_name, work) => work(),
      runInChildContext: async (_name, work) => work(context),
    };
    expect((await LambdaDurableStorage.within(context)).procedureId).toBe('order-1');
  });

  it('to an address that is none, nothing', async () => {
    for (const address of [
      'lambda:a b',
      'lambda:orders?secret=1',
      `lambda:${'x'.repeat(65)}`,
      'lambda:orders?endpoint=http://user:secret@host',
    ]) {
      const refused = openStorage(address);
      await expect(refused).rejects.toMatchObject({ code: 'usage' });
      await expect(refused).rejects.not.toThrow(/secret/);
    }
  });
});
