import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/client/storage/open-storage.js';
import type { StartOptions } from '../../src/client/runs/start-input.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import type { JsonObject } from '../../src/contract/json/json.js';
import { historiesOf } from '../support/histories.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf, procedureSource } from '../support/procedure-source.js';
import { pythonOr, type Python } from '../support/python.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** The Python Tactus reads, and answers, runs of a development server. */

const found = await pythonOr('the storage for the Python Tactus');
let server: TestServer;
let worker: TestWorker;
let python: Python;
const mirror = join(temporaryFolder('python-storage'), 'mirror');
const texts = temporaryFolder('python-texts');
const files = await openStorage(`file:${mirror}`);

beforeAll(async () => {
  if (found === null) return;
  server = await startDevServer();
  // What no gzip makes smaller.
  for (const name of ['noise-1.txt', 'noise-2.txt'])
    writeFileSync(join(texts, name), randomBytes(1_000_000).toString('base64'));
  worker = await startWorker(server, { storage: files, activities: { filesRoot: texts } });
  python = found.with({ TEMPORAL_ADDRESS: server.env.address });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

interface Compared {
  theirs: JsonObject;
  ours: JsonObject;
  equal: boolean;
  isRecord: boolean;
  answers: number;
}

const events = async (run: TactusRun): Promise<number> =>
  (await historiesOf(server.client, run.runId)).reduce(
    (sum, { events: each }) => sum + (each?.length ?? 0),
    0,
  );

const agents = procedureSource(`
  greeter = Agent { model = "openai/gpt-5-mini", system_prompt = "Greet." }
  helper = Procedure "helper" { input = { n = field.number {} }, function(input)
    local read = greeter("Hello " .. input.n)
    Step.checkpoint(function() return { inside = read.output } end)
    return input.n * 2
  end }
  Procedure { function()
    state.greeting = "grüß 😀 \\u{1F600} \\0"
    local a = greeter("Hi")
    local b = helper({ n = 3 })
    local c = checkpoint(function() return { list = { 1, 2.5, "x" }, none = {} } end)
    local d = Parallel { function() return Step("one", function() return 1 end) end, function() return 2 end }
    pcall(function() checkpoint(function() error("on purpose") end) end)
    return { a = a.output, b = b, c = c, d = d }
  end }`);
const mock = { all: true, agents: {}, results: {}, people: null };

/** Runs of all sorts, by what they show. `then`: what is done before they are looked at. */
const runs: Record<
  string,
  {
    source: ReturnType<typeof procedureOf>;
    options?: StartOptions;
    then?: (run: TactusRun) => Promise<unknown>;
    status: string;
  }
> = {
  'agents, sub-procedures, steps, branches, failed checkpoints': {
    source: agents,
    options: { mock },
    status: 'COMPLETED',
  },
  'people who answer, and one who does not in time': {
    source: procedureOf(`
      state.first = Human.approve { message = "Ja? 😀", context = { amount = 5 } }
      state.second = Human.select { message = "Which?", options = { "a", "b" } }
      state.third = Human.input { message = "Anything?", timeout = 1, default = "nothing" }
      state.fourth = Human.review { message = "Good?", artifact = "text" }
      return state.third`),
    then: async (run) => {
      for (const value of [true, 'b', null, { decision: 'approve', feedback: 'fein' }]) {
        const [request] = await pendingOf(run);
        if (value !== null) await run.decide({ request: request?.id ?? '', value, by: 'ann' });
        else await waitUntil(async () => (await run.status()).checkpoints > 2);
      }
      await run.result();
    },
    status: 'COMPLETED',
  },
  'one that waits for two people': {
    source: procedureOf(`
      checkpoint(function() return 1 end)
      return Parallel { function() return Human.approve("One?") end, function() return Human.input("Two?") end }`),
    then: (run) => pendingOf(run, 2),
    status: 'WAITING_FOR_HUMAN',
  },
  'one that failed': {
    source: procedureOf('checkpoint(function() return { "before" } end)\nstate.n = 1\nerror("it broke")'),
    then: (run) => run.result().catch(() => undefined),
    status: 'FAILED',
  },
  'one that was cancelled while it waited': {
    source: procedureOf('return Human.approve("Go?")'),
    then: async (run) => {
      await pendingOf(run);
      await run.cancel();
      await run.result().catch(() => undefined);
    },
    status: 'CANCELLED',
  },
  'a long one, over several executions': {
    source: procedureOf(`
      local guess = Model { type = "mock", value = { text = "grün 😀" } }
      for i = 1, 100 do
        state["k" .. i] = guess({ n = i }).text
        checkpoint(function() return { n = i, text = ("ä" .. i):rep(200) } end)
        if i % 25 == 0 then Sleep(0.01) end
      end
      return "done"`),
    options: { limits: { historyEvents: 20 } },
    then: (run) => run.result(),
    status: 'COMPLETED',
  },
};

describe.skipIf(found === null)('a run in Temporal', () => {
  it('has in each field what the file of the reference has', async () => {
    const started = await Promise.all(
      Object.values(runs).map(async ({ source, options, then }) => {
        const run = await server.tactus.start(source, {}, options);
        await (then ?? (() => run.result()))(run);
        return run;
      }),
    );
    const statuses = Object.values(runs).map(({ status }) => status);
    await waitUntil(async () => {
      const records = await Promise.all(started.map(async ({ runId }) => files.loadProcedureMetadata(runId)));
      return records.every(({ status }, i) => status === statuses[i]);
    });
    const before = await Promise.all(started.map(events));
    const ids = started.map(({ runId }) => runId);
    const compared = await python.script<Record<string, Compared>>('records.py', [mirror, ...ids]);
    Object.keys(runs).forEach((name, i) => {
      const { theirs, ours, ...rest } = compared[ids[i] ?? ''] as Compared;
      expect(ours, name).toStrictEqual(theirs);
      expect(rest, name).toMatchObject({ equal: true, isRecord: true });
      expect(ours['status'], name).toBe(statuses[i]);
    });
    const [first, second] = ids.map((id) => compared[id] as Compared);
    expect(first?.ours['execution_log']).toMatchObject([
      { type: 'agent_greeter_turn', input_hash: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
      { type: 'procedure_call', result: 6 },
      { type: 'explicit_checkpoint', result: { list: [1, 2.5, 'x'] } },
      { type: 'parallel' },
      { type: 'explicit_checkpoint', result: { error: { code: 'lua_error' } } },
    ]);
    expect(second?.answers).toBe(4);
    expect((await historiesOf(server.client, ids.at(-1) ?? '')).length).toBeGreaterThan(1);
    // Nobody who looks leaves anything behind.
    expect(await Promise.all(started.map(events))).toEqual(before);
  });

  it('has no digests where its log is too large for one answer, and all else', async () => {
    const run = await server.tactus.start(
      procedureOf(
        'for i = 1, 2 do File.read("noise-" .. i .. ".txt") end\npcall(File.read, "none.txt")\nreturn 1',
      ),
    );
    expect(await run.result()).toBe(1);
    expect((await run.packedCheckpoints()).length).toBe(0);
    const isWritten = async (): Promise<boolean> =>
      (await files.loadProcedureMetadata(run.runId)).status === 'COMPLETED';
    await waitUntil(isWritten);
    const compared = await python.script<Record<string, Compared>>('records.py', [mirror, run.runId]);
    const { theirs, ours } = compared[run.runId] as Compared;
    const withoutDigests = (log: unknown): JsonObject[] =>
      (log as JsonObject[]).map((entry) => ({ ...entry, input_hash: null }));
    expect(ours).toMatchObject({ replay_index: 3 });
    expect(withoutDigests(ours['execution_log']).slice(0, 2)).toStrictEqual(
      withoutDigests(theirs['execution_log']).slice(0, 2),
    );
    expect({ ...ours, execution_log: null }).toStrictEqual({ ...theirs, execution_log: null });
  });

  it('is not executed by the runtime of the reference, nor changed by anything else', async () => {
    const run = await server.tactus.start(procedureOf('state.n = 1\nreturn Human.approve("Go?")'));
    await pendingOf(run);
    const before = await events(run);
    const source = 'Procedure { function() File.write("ran.txt", "x") state.n = 5 return 1 end }';
    const tried = await python.script<Record<string, JsonObject>>('untouched.py', [run.runId, source]);
    expect(tried).toMatchObject({
      theirs: { success: true, ran: true },
      ...Object.fromEntries(
        ['ours', 'resumed', 'reset', 'elsewhere'].map((name) => [
          name,
          { success: false, ran: false, error: expect.stringMatching(/carried out in Temporal/) as string },
        ]),
      ),
      unchanged: null,
      empty: { execution_log: [], status: 'RUNNING', state: {} },
      emptyState: {},
    });
    for (const [name, said] of Object.entries(tried['refused'] ?? {}))
      expect(said, name).toMatch(/^usage: The run \S+ is carried out in Temporal, so /);
    expect(await events(run)).toBe(before);
    expect(await run.state()).toEqual({ n: 1 });
    expect(await run.status()).toMatchObject({ status: 'waiting_for_human' });
  });

  it('is answered by the control loop of the reference, and goes on', async () => {
    const run = await server.tactus.start(
      procedureOf(`state.n = 1
        return Parallel {
          function()
            local to = { amount = 5, to = "Zoë" }
            state.ok = Human.approve { message = "Pay?", context = to, action_key = "pay-1", timeout = "1h" }
            return Human.input("And then?")
          end,
          function()
            Event.wait("go")
            state.n = 2
          end,
        }`),
    );
    await pendingOf(run);
    const answered = await python.script<JsonObject>('answers.py', [run.runId]);
    expect(answered).toMatchObject({
      request: {
        request_id: `${run.runId}/0.0.0`,
        procedure_id: run.runId,
        request_type: 'approval',
        message: 'Pay?',
        action_key: 'pay-1',
        application_context: [
          { name: 'amount', value: '5' },
          { name: 'to', value: 'Zoë' },
        ],
      },
      before: null,
      outcomes: {
        invalid: expect.stringMatching(/^invalid: /) as string,
        first: 'taken',
        again: 'taken',
        other: expect.stringMatching(/^late: /) as string,
        'old state': expect.stringContaining('`n` of its state') as string,
      },
      after: { request_id: `${run.runId}/0.0.0`, value: true, responder_id: 'ann', timed_out: false },
    });
    expect(await run.result()).toMatchObject(['this']);
    expect(await run.state()).toEqual({ n: 2, ok: true });
  });

  it("is shown by the reference's command line, from the files that our command writes for it", async () => {
    const done = await server.tactus.start(
      {
        entry: 'tea.tac',
        files: {
          'tea.tac': 'checkpoint(function() return "brewed" end)\nreturn Procedure.run("child.tac")',
          'child.tac': 'return 5',
        },
      },
      {},
      { runId: 'trace-1' },
    );
    expect(await done.result()).toBe(5);
    const waits = await server.tactus.start(
      procedureOf('return Human.approve("Go?")'),
      {},
      { runId: 'trace-2' },
    );
    await pendingOf(waits);
    const killed = await server.tactus.start(
      procedureOf('return Human.approve("Go?")'),
      {},
      { runId: 'trace-3' },
    );
    await pendingOf(killed);
    await killed.terminate();
    const folder = join(temporaryFolder('traces'), 'storage');
    const env = { COLUMNS: '160', NO_COLOR: '1' };
    const told = await python.script<Record<string, string>>('traces.py', [folder], { env });
    expect(told).toMatchObject({
      written: `0 3 runs written to ${folder}\n`,
      show: expect.stringContaining('explicit_checkpoint') as string,
      listed: `0 1 runs written to ${folder}\n`,
      missing: '1 Run nowhere not found\n',
      managed: ['trace-1'],
      checkpoint: 'brewed',
      terminated: 'TERMINATED',
      breakpoints: [],
    });
    expect(told['list']).toMatch(/trace-1\s.*tea\s.*COMPLETED\s.*2\s/);
    expect(told['list']).toMatch(/trace-1:\s.*child\s.*COMPLETED\s.*0\s/);
    expect(told['list']).toMatch(/trace-2\s.*main\s.*PAUSED\s.*running/);
    expect(JSON.parse(readFileSync(join(folder, 'trace.json'), 'utf8'))).toMatchObject({
      run_id: 'trace-1',
      file_path: 'tea.tac',
      execution_log: [{ result: 'brewed' }, { type: 'procedure_call', result: 5 }],
    });
    await waits.cancel();
  });
});
