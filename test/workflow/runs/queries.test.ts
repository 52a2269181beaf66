import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { searchAttributeNames } from '../../../src/contract/names.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { answerByRequest } from '../../support/model-answers.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  worker = await startWorker(server, { activities: { env } });
});

afterAll(async () => {
  await worker.stop();
  await provider.close();
  await server.stop();
});

describe('what is seen of a run', () => {
  it('status, log, state and requests, while it waits and when it has ended', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        state.seen = { 1, 2 }
        print("one", 1)
        Log.warn("careful", { n = 2 })
        local noted = checkpoint(function() return { noted = true } end)
        local ok = Human.approve{ message = "Go?", context = { amount = 3 } }
        state.ok = ok
        return { ok = ok }`),
    );
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      id: `${run.runId}/1`,
      kind: 'approval',
      message: 'Go?',
      context: { amount: 3 },
      position: '1',
    });
    expect(await run.status()).toMatchObject({
      run_id: run.runId,
      procedure: 'main',
      status: 'waiting_for_human',
      output: null,
      state: { seen: [1, 2] },
      waits: [{ position: '1', kind: 'human', name: 'Go?' }],
      checkpoints: 1,
      printed: ['one\t1'],
      logs: [{ level: 'warning', message: 'careful', context: { n: 2 } }],
      closed_at: null,
    });
    expect(await server.tactus.pending(run.runId)).toHaveLength(1);
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ ok: true });

    expect(await run.status()).toMatchObject({
      status: 'completed',
      output: { ok: true },
      pending: [],
      waits: [],
      checkpoints: 2,
    });
    expect(await run.state()).toEqual({ seen: [1, 2], ok: true });
    const log = await run.log();
    expect(log).toMatchObject({ status: 'completed', replay_index: 2, next: null });
    expect(log.execution_log).toMatchObject([
      {
        position: '0',
        type: 'explicit_checkpoint',
        status: 'completed',
        result: { noted: true },
        source: { file: 'main.tac', line: 6 },
      },
      {
        position: '1',
        type: 'hitl_approval',
        status: 'completed',
        result: { value: true, timed_out: false },
      },
    ]);
  });

  it('a failed run: its code, message, line and traceback, and a log that goes up to there', async () => {
    const run = await server.tactus.start(
      procedureOf('checkpoint(function() return 1 end)\nlocal x = nil\nreturn x.y'),
    );
    await expect(run.result()).rejects.toMatchObject({
      code: 'lua_error',
      message: expect.stringContaining('main.tac:4') as string,
    });
    const view = await run.status();
    expect(view).toMatchObject({
      status: 'failed',
      checkpoints: 1,
      error: { code: 'lua_error', file: 'main.tac', line: 4 },
    });
    expect(view.error?.traceback).toContain('main.tac:4');
  });

  it('a log and printed lines of several megabytes come page by page', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        for i = 1, 12 do
          checkpoint(function() return ("x"):rep(200000) end)
          print(i, ("y"):rep(200000))
        end
        return "done"`),
    );
    expect(await run.result()).toBe('done');
    const log = await run.log();
    expect(log.execution_log.map(({ position }) => position)).toEqual(
      Array.from({ length: 12 }, (_, i) => String(i)),
    );
    const lines: string[] = [];
    for (let from = 0; from < 12;) {
      const { shown, next } = await run.shown(from);
      for (const line of shown) if (line.kind === 'print') lines.push(line.text.slice(0, 3));
      from = next;
    }
    expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 1),
    );
    const view = await run.status();
    expect(view.printed.length).toBeLessThan(12);
    expect(view.shown_from + view.printed.length).toBe(12);
  });

  it('the tokens that were used', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        local writer = Agent { model = "openai/gpt-4o-mini" }
        local result = writer("hello")
        writer("again")
        return result.usage`),
    );
    expect(await run.result()).toEqual({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect((await run.status()).usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
  });

  it("in Temporal's own pages: what a step does, in one group", async () => {
    const run = await server.tactus.start(
      procedureOf('Sleep(0.001) return step("draft", function() Sleep(0.002) Sleep(0.003) return 1 end)'),
    );
    await run.result();
    const histories = await historiesOf(server.client, run.runId);
    const groups = histories
      .flatMap(({ events }) => events ?? [])
      .filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes)
      .map(({ eventGroupMarkers }) => (eventGroupMarkers ?? []).map(({ label }) => label?.id));
    expect(groups).toEqual([[], ['1'], ['1']]);
  });

  it("in Temporal's own pages: the input first, a memo, what may be asked and sent, children by their names", async () => {
    const source = procedureSource(
      'Procedure { input = { n = field.number{} }, function(input) Event.wait("go", { timeout = 600 }) return Procedure.run("child.tac") end }',
      { 'child.tac': 'Procedure { function() return { n = 1 } end }' },
    );
    const run = await server.tactus.start(source, { n: 7 });
    type Described = Record<string, { name: string; description: string }[]>;
    const { definition } = await run.handle.query<{ definition: Described }>('__temporal_workflow_metadata');
    const told = (kind: string): Record<string, string> =>
      Object.fromEntries((definition[kind] ?? []).map(({ name, description }) => [name, description]));
    expect(told('queryDefinitions')).toMatchObject({
      status: expect.stringContaining('open requests') as string,
    });
    expect(told('updateDefinitions')).toMatchObject({ decide: expect.stringContaining('verdict') as string });
    expect(told('signalDefinitions')).toMatchObject({ event: expect.stringContaining('event') as string });
    await run.send('go', null);
    await run.result();
    const { memo } = await run.handle.describe();
    expect(memo).toEqual({ procedure: 'main', source: expect.stringMatching(/^sha256:/) as string });
    const histories = await historiesOf(server.client, run.runId);
    const events = histories.flatMap((history) => history.events ?? []);
    const argument = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    expect(new TextDecoder().decode(argument ?? undefined)).toMatch(/^\{"input":\{"n":7\},/);
    const child = events.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
    expect(new TextDecoder().decode(child?.userMetadata?.summary?.data ?? undefined)).toBe('"child"');
  });

  it("in Temporal's own pages: details in Markdown, search attributes, summaries", async () => {
    const tactus = new TactusClient(server.client, { searchAttributes: true });
    const run = await tactus.start(
      procedureOf(
        'Agent.run{ prompt = "hello", model = "openai/gpt-4o-mini" }\nHuman.approve{ message = "Is *this* ok?" }',
      ),
    );
    const [request] = await pendingOf(run);
    const details = JSON.stringify(await run.handle.query('__temporal_workflow_metadata'));
    expect(details).toContain('waiting for human');
    expect(details).toContain('Is \\\\*this\\\\* ok?');
    expect(details).toContain(`tactus-temporal respond ${request?.id}`);
    const attributes = async (): Promise<Record<string, unknown>> => {
      const { typedSearchAttributes } = await run.handle.describe();
      return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
    };
    expect(await attributes()).toMatchObject({
      [searchAttributeNames.procedure]: 'main',
      [searchAttributeNames.status]: 'waiting_for_human',
    });
    const histories = await historiesOf(server.client, run.runId);
    const events = histories.flatMap((history) => history.events ?? []);
    const summaries = events.flatMap(({ userMetadata }) =>
      userMetadata?.summary ? [new TextDecoder().decode(userMetadata.summary.data ?? undefined)] : [],
    );
    expect(summaries).toContainEqual(expect.stringMatching(/^"agent · .*gpt-4o-mini/));
    await run.decide({ request: request?.id ?? '', value: true });
    await run.result();
    expect(await attributes()).toMatchObject({ [searchAttributeNames.status]: 'completed' });
  });

  it('at any moment of a busy run, and nothing that is asked disturbs it', async () => {
    const run = await server.tactus.start(
      procedureOf(
        'local n = 0 for i = 1, 200 do n = n + checkpoint(function() return i end) if i % 10 == 0 then Event.wait("go") end end return n',
      ),
    );
    for (let round = 1; round <= 20; round++) {
      const [view, log] = await Promise.all([
        run.status(),
        run.log(),
        run.state(),
        run.shown(),
        run.send('go', null),
      ]);
      expect(log.execution_log.length).toBeLessThanOrEqual(220);
      expect(view.run_id).toBe(run.runId);
    }
    expect(await run.result()).toBe(20_100);
  });
});

it('a question that a worker died with is asked again', async () => {
  const taskQueue = 'lost-question';
  const tactus = new TactusClient(server.client, { taskQueue });
  const first = await startWorker(server, { taskQueue });
  const run = await tactus.start(procedureOf('return Human.approve("Go?")'));
  await pendingOf(run);
  await first.stop();
  // Takes the question, and says nothing more.
  const { connection } = server.client;
  const polling = { namespace: 'default', taskQueue: { name: taskQueue } };
  const taken = connection.withDeadline(Date.now() + 60_000, () =>
    connection.workflowService.pollWorkflowTaskQueue(polling),
  );
  const status = run.status();
  expect((await taken).query).toBeDefined();
  const second = await startWorker(server, { taskQueue });
  expect(await status).toMatchObject({ status: 'waiting_for_human' });
  await second.stop();
});
