import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectSource } from '../../src/client/collect-source.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import { answerRequests } from '../support/answer-requests.js';
import { pendingOf } from '../support/pending-of.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { startDevServer, startTimeSkippingServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { casesFolder } from './recorded-case.js';

/** Where the reference goes wrong, and what must happen instead. Those that ask are answered by another worker. */
const cases: { name: string; output: JsonObject; logs?: string[]; asks?: boolean }[] = [
  {
    name: 'w-p01-nested-shift',
    output: { y: 42, after: 'main-after', ok: true },
    logs: ['before human'],
    asks: true,
  },
  { name: 'w-p04-state-double', output: { n: 3, ok: true }, asks: true },
  { name: 'w-p07-tool-reexec', output: { ok: true, n: 1 }, logs: ['CHARGED'], asks: true },
  { name: 'w-p11-reset', output: { a: true, b: false, n: 0, lr: 'table:nil' } },
  { name: 'w-p12-assign-procs', output: { y: 2 } },
  { name: 'w-pA-toolget', output: { v: expect.stringMatching(/^table:table/) as string } },
];

const notYet = ['w-p14d-spawn-wait', 'w-p14e-spawn-noparams'];

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;

async function start(): Promise<TestWorker> {
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  return startWorker(server, { activities: { env } });
}

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  worker = await start();
  console.log(`Cases that wait for Procedure.spawn: ${notYet.join(', ')}`);
});

afterAll(async () => {
  await worker.stop();
  await provider.close();
  await server.stop();
});

describe('where the reference goes wrong', () => {
  it.each(cases)('$name', async ({ name, output, logs, asks }) => {
    const run = await server.tactus.start(await collectSource(casesFolder, `${name}.tac`));
    if (asks === true) {
      const [request] = await pendingOf(run);
      await worker.stop();
      worker = await start();
      expect(await run.decide({ request: request?.id ?? '', value: true })).toMatchObject({
        outcome: 'accepted',
      });
    }
    expect(await run.result()).toEqual(output);
    if (logs !== undefined) expect((await run.status()).logs.map(({ message }) => message)).toEqual(logs);
  });

  it('w-p06: two runs at once never mix', async () => {
    const source = await collectSource(casesFolder, 'w-p06-stale-rerun.tac');
    const runs = await Promise.all(['ann', 'bob'].map((who) => server.tactus.start(source, { who })));
    for (const [i, run] of runs.entries()) {
      const [request] = await pendingOf(run);
      expect(request?.message).toBe(`greet ${['ann', 'bob'][i]}?`);
      await run.decide({ request: request?.id ?? '', value: i === 0 });
    }
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([
      { msg: 'hello ann', ok: true },
      { msg: 'hello bob', ok: false },
    ]);
  });

  it('w-p14b: a procedure whose file waits for a person waits too', async () => {
    const run = await server.tactus.start(await collectSource(casesFolder, 'w-p14b-run-hitl.tac'));
    const answers = answerRequests(server.tactus, run.runId, () => true);
    expect(await run.result()).toEqual({ log: expect.stringMatching(/^true:table/) as string });
    await answers.stop();
  });

  it('w-p21: the default after the time, an answer before', async () => {
    const skipping = await startTimeSkippingServer();
    const other = await startWorker(skipping);
    const source = await collectSource(casesFolder, 'w-p21-timeout.tac');
    const expected = { ok: true, ty: 'boolean', name: 'step1' };
    const run = await skipping.tactus.start(source);
    expect(await run.result()).toEqual(expected);
    const { execution_log: log } = await run.log();
    expect(log[1]).toMatchObject({ type: 'hitl_approval', result: { timed_out: true } });
    await other.stop();
    await skipping.stop();

    const early = await server.tactus.start(source);
    const [request] = await pendingOf(early);
    await early.decide({ request: request?.id ?? '', value: false });
    expect(await early.result()).toEqual({ ...expected, ok: false });
  });

  it('w-p22: the cost of a checkpoint does not grow with their number', async () => {
    const source = await collectSource(casesFolder, 'w-p22-cost.tac');
    const timed = async (n: number): Promise<number> => {
      const startedAt = performance.now();
      expect(await server.tactus.execute(source, { n })).toEqual({ n });
      return performance.now() - startedAt;
    };
    const few = await timed(100);
    expect(await timed(2_000)).toBeLessThan(25 * few);
  });

  it('w-pB: the conversation goes on behind a question to a person', async () => {
    provider.reply(
      { toolCalls: [{ name: 'lookup', arguments: '{"q":"x"}' }] },
      { text: 'first' },
      { text: 'second' },
    );
    const run = await server.tactus.start(await collectSource(casesFolder, 'w-pB-agent-history.tac'));
    const [request] = await pendingOf(run);
    await worker.stop();
    worker = await start();
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ a: 'first', b: 'second', ok: true, called: true, cnt: 1 });
    expect(messagesOf(2)).toMatchObject([
      { role: 'system', content: 'sys sx' },
      { role: 'user', content: 'one' },
      { role: 'assistant' },
      { role: 'tool', content: '{"answer":42}' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: 'two' },
    ]);
  });

  it("w-pC: an agent's tool waits for the person", async () => {
    const before = provider.requests.length;
    provider.reply(
      { toolCalls: [{ name: 'ask', arguments: '{"q":"it"}' }] },
      { text: 'first' },
      { text: 'second' },
    );
    const run = await server.tactus.start(await collectSource(casesFolder, 'w-pC-agent-hitl-tool.tac'));
    const [request] = await pendingOf(run);
    expect(request?.message).toBe('agent asks it');
    await worker.stop();
    worker = await start();
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ a: 'first|second' });
    expect(messagesOf(before + 1)).toContainEqual(
      expect.objectContaining({ role: 'tool', content: 'approved=true' }),
    );
  });

  it('w-pD: templates are filled with real values', async () => {
    const before = provider.requests.length;
    provider.reply({ text: 'first' }, { text: 'second' });
    const run = await server.tactus.start(await collectSource(casesFolder, 'w-pD-templates.tac'), {
      name: 'Ann',
    });
    expect(await run.result()).toEqual({ a: 'first' });
    const [system, user] = messagesOf(before) as JsonObject[];
    expect(system?.['content']).toMatch(/^sys Ann KV /);
    expect(user?.['content']).toMatch(/^Hello Ann \//);
  });
});

function messagesOf(index: number): JsonValue {
  return provider.requests[index]?.body['messages'] ?? null;
}
