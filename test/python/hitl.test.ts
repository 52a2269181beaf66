import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf } from '../support/procedure-source.js';
import { pythonOr, type Python } from '../support/python.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** The runtime of the reference asks people by way of Temporal, and its classes answer what runs there ask. */

const found = await pythonOr('the handler of people for the Python Tactus');
let server: TestServer;
let worker: TestWorker;
let python: Python;

beforeAll(async () => {
  if (found === null) return;
  server = await startDevServer();
  worker = await startWorker(server);
  python = found.with({ TEMPORAL_ADDRESS: server.env.address });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

interface Executed {
  success: boolean;
  status: string | null;
  error: string | null;
  result: JsonValue;
  pending_message_id: string | null;
}

interface Given {
  procedure: string;
  run?: string;
  patience?: string;
  folder?: string;
}

const execute = (
  source: string,
  { procedure, run = '', patience = '', folder = '' }: Given,
): Promise<Executed> => python.script('asks.py', [folder, procedure, run, patience, source]);

/** Answers what stands at a position, as soon as it is asked; the request as it was shown. */
async function answer(question: string, value: JsonValue): Promise<JsonObject> {
  const run = server.tactus.attach(question);
  const request = await waitUntil(async () => {
    const [open] = await run.pending().catch(() => []);
    return open ?? false;
  });
  expect(await run.decide({ request: request.id, value, by: 'ann' })).toMatchObject({ outcome: 'accepted' });
  return request as unknown as JsonObject;
}

describe.skipIf(found === null)('a procedure that the reference runs', () => {
  it('has its questions of every kind answered here', async () => {
    const ended = execute(
      `Procedure {
        output = { all = field.array {} },
        function()
          local ok = Human.approve { message = "Deploy?", context = { env = "prod" } }
          local name = Human.input { message = "Name?", placeholder = "yours" }
          local where = Human.select { message = "Where?", options = { "north", { label = "South", value = "s" } } }
          local review = Human.review { message = "Good?", artifact = "text", options = { "approve", "reject" } }
          local both = Human.multiple {
            { id = "size", label = "Size", type = "select", message = "Size?", options = { "S", "M" } },
            { id = "sure", label = "Sure", type = "approval", message = "Sure?" },
          }
          Human.escalate { message = "Stuck", severity = "error" }
          local nobody = Human.input { message = "Anybody?", timeout = 1, default = "no" }
          return { all = { ok, name, where, review.decision, both.size, both.sure, nobody } }
        end,
      }`,
      { procedure: 'every/kind', run: 'r-1' },
    );
    const values: JsonValue[] = [
      true,
      'Zoë',
      's',
      { decision: 'reject', feedback: 'no' },
      { size: 'M', sure: false },
      'settled',
    ];
    const asked: JsonObject[] = [];
    for (const [i, value] of values.entries()) asked.push(await answer(`every%2Fkind:r-1:pos${i}`, value));
    expect(await ended).toMatchObject({
      success: true,
      result: { all: [true, 'Zoë', 's', 'reject', 'M', false, 'no'] },
    });
    expect(asked).toMatchObject([
      { kind: 'approval', message: 'Deploy?', context: { env: 'prod' }, default: false },
      { kind: 'input', hints: { placeholder: 'yours' } },
      { kind: 'select', options: ['north', 's'] },
      { kind: 'review', options: ['approve', 'reject'] },
      { kind: 'multiple' },
      { kind: 'escalation', message: 'Stuck' },
    ]);
  });

  it('is suspended where nobody answers at once, and finds the answer in another process', async () => {
    const folder = temporaryFolder('suspended');
    const source = `Procedure { output = { ok = field.boolean {} }, function()
      local before = checkpoint(function() return 7 end)
      return { ok = Human.approve("Go?") and before == 7 } end }`;
    const given = { procedure: 'suspended', run: 'r-1', folder };
    const question = 'suspended:r-1:pos1';
    const waiting = { success: false, status: 'WAITING_FOR_HUMAN', pending_message_id: question };
    expect(await execute(source, { ...given, patience: '1' })).toMatchObject(waiting);
    const [request] = await pendingOf(server.tactus.attach(question));
    expect(await execute(source, { ...given, patience: '1' })).toMatchObject(waiting);
    // Still the same question.
    expect(await server.tactus.attach(question).pending()).toEqual([request]);
    await answer(question, true);
    expect(await execute(source, given)).toMatchObject({ success: true, result: { ok: true } });
    const changed = await execute(source.replace('Go?', 'Pay?'), {
      ...given,
      folder: temporaryFolder('changed'),
    });
    expect(changed).toMatchObject({
      success: false,
      error: expect.stringContaining('another input') as string,
    });
  });

  it('asks anew where it has no id of a run', async () => {
    const source = 'Procedure { function() return Human.approve("Go?") end }';
    const given = { procedure: 'nameless', patience: '0.5' };
    const [first, second] = [await execute(source, given), await execute(source, given)];
    expect(first.pending_message_id).not.toBe(second.pending_message_id);
  });
});

describe.skipIf(found === null)('what a run in Temporal asks', () => {
  it('is seen and answered by classes of the reference, with verdicts', async () => {
    const question = await execute('Procedure { function() return Human.approve("Go?") end }', {
      procedure: 'taken-back',
      run: 'r-1',
      patience: '0.5',
    });
    const asked = question.pending_message_id ?? '';
    await pendingOf(server.tactus.attach(asked));
    const run = await server.tactus.start(
      procedureOf(`return Parallel {
        function() return Human.approve { message = "One?", response_schema = { type = "boolean" }, timeout = "1h" } end,
        function() return Human.multiple { { id = "a", type = "select", label = "A", options = { { value = 1, label = "Eins" } } } } end,
      }`),
    );
    await pendingOf(run, 2);
    const handled = await python.script<JsonObject>('handles.py', [run.runId, asked]);
    expect(handled).toMatchObject({
      pending: [
        {
          request_id: `${run.runId}/0.0.0`,
          request_type: 'approval',
          response_schema: { type: 'boolean' },
          runtime_context: { checkpoint_position: 0 },
        },
        {
          request_type: 'inputs',
          timeout_seconds: null,
          items: [{ item_id: 'a', request_type: 'select', options: [{ label: 'Eins', value: 1 }] }],
        },
      ],
      before: null,
      verdicts: { 'of something else': 'invalid', 'no value': 'invalid', first: 'accepted', second: 'late' },
      after: { value: true, timed_out: false },
      refused: expect.stringContaining('which alone takes it back') as string,
    });
    expect((handled['pending'] as JsonObject[])[0]?.['timeout_seconds']).toBeGreaterThan(3_000);
    await expect(server.tactus.attach(asked).result()).rejects.toMatchObject({ code: 'cancelled' });
    await run.cancel();
  });
});
