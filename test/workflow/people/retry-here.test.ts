import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const files = temporaryFolder('retry-here');

let server: TestServer;
let provider: ProviderStandIn;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` };
  worker = await startWorker(server, { activities: { filesRoot: files, env } });
});
beforeEach(() => {
  provider.requests.length = 0;
});
afterAll(async () => {
  await worker.stop();
  await provider.close();
  await server.stop();
});

const append = (name: string): string => `File.append("${name}.log", "x")`;
const read = (name: string): string => `File.read("${name}.txt")`;
const write = (name: string): void => writeFileSync(join(files, `${name}.txt`), name);
const appended = (name: string): string => readFileSync(join(files, `${name}.log`), 'utf8');
const namesOf = async (run: TactusRun): Promise<string[]> =>
  (await run.log()).execution_log.map(({ position, type, name }) => `${position} ${type} ${name}`);

async function askedOf(run: TactusRun): Promise<HumanRequest> {
  const [request] = await pendingOf(run);
  return request!;
}

async function retryHere(run: TactusRun, by?: string): Promise<void> {
  const { id } = await askedOf(run);
  expect(
    await run.decide({ request: id, value: 'retry_here', ...(by === undefined ? {} : { by }) }),
  ).toMatchObject({
    outcome: 'accepted',
  });
}

describe('a part that failed is tried again from what failed', () => {
  it('a step: what it did before is not done again, and the log has no failure', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        local n = 0
        local value = step("load", function()
          n = n + 1
          ${append('before')}
          return ${read('late')}
        end, { on_failure = "ask" })
        return { value = value, n = n }`),
    );
    const request = await askedOf(run);
    expect(request).toMatchObject({
      options: ['retry_here', 'retry', 'value', 'give_up'],
      context: { here: { position: '0.1', type: 'file', name: 'read late.txt', repeats: false } },
      form: { choices: [{ label: 'Try it again from what failed, file read late.txt' }, {}, {}, {}] },
    });
    write('late');
    await retryHere(run, 'ann');
    expect(await run.result()).toEqual({ value: 'late', n: 1 });
    expect(appended('before')).toBe('x');
    expect(await namesOf(run)).toEqual([
      '0.0 file append before.log',
      '0.1 file read late.txt',
      '0 step load',
    ]);
    const { changes, pending } = await run.status();
    expect(pending).toEqual([]);
    expect(changes).toMatchObject([{ kind: 'retry', position: '0.1', by: 'ann', kept: 1 }]);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('in a branch: what others wait for and have done goes along, and what a worker is at ends before', async () => {
    provider.reply({ status: 500 }, { status: 500 }, { text: 'said' });
    const run = await server.tactus.start(
      procedureOf(`
        local writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        local values = Parallel {
          function() return step("load", function() ${append('one')} return ${read('main')} end, { on_failure = "ask" }) end,
          function() return Human.approve { message = "Go?", quorum = 2, approvers = { "ann", "bob", "cay" } } end,
          function() ${append('other')} return writer("go").output end,
        }
        return values`),
    );
    const [approval, question] = (await pendingOf(run, 2)).sort((one) => (one.message === 'Go?' ? -1 : 1));
    await run.decide({ request: approval!.id, value: true, by: 'ann' });
    await provider.arrived(1);
    write('main');
    await run.decide({ request: question!.id, value: 'retry_here' });
    await waitUntil(async () => (await historiesOf(server.client, run.runId)).length === 2);
    expect(await pendingOf(run)).toMatchObject([{ id: approval!.id, votes: [{ by: 'ann' }] }]);
    await run.decide({ request: approval!.id, value: true, by: 'bob' });
    expect(await run.result()).toEqual(['main', true, 'said']);
    expect([appended('one'), appended('other'), provider.requests.length]).toEqual(['x', 'x', 3]);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('the main procedure, from the beginning of a saga that was taken back', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        ${append('first')}
        return Saga("trip", function(saga)
          saga.add_compensation("undo", function() ${append('undone')} end)
          ${append('booked')}
          return ${read('saga')}
        end)`),
      {},
      { settings: { onFailure: {} } },
    );
    const { context } = await askedOf(run);
    expect(context).toMatchObject({ here: { type: 'step', name: 'trip', repeats: true } });
    write('saga');
    await retryHere(run);
    expect(await run.result()).toBe('saga');
    expect(['first', 'booked', 'undone'].map(appended)).toEqual(['x', 'xx', 'x']);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('as often as somebody says so; a child run begins anew', async () => {
    const child = `Procedure { function() ${append('child')} return ${read('child')} end }`;
    const run = await server.tactus.start(
      procedureOf(
        `${append('parent')} return step("ask", function() return Procedure.run("child.tac") end, { on_failure = "ask" })`,
        { 'child.tac': child },
      ),
    );
    await retryHere(run);
    await waitUntil(async () => (await run.status()).changes?.length === 1);
    await pendingOf(run);
    write('child');
    await retryHere(run);
    expect(await run.result()).toBe('child');
    expect([appended('parent'), appended('child')]).toEqual(['x', 'xxx']);
    expect((await run.status()).changes).toHaveLength(2);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('counts in budgets what the attempts before have used', async () => {
    provider.reply(() => ({ text: 'no', usage: { input: 90, output: 10 } }));
    const run = await server.tactus.start(
      procedureOf(`
        local writer = Agent { model = "openai/gpt-x", system_prompt = "Write.", output_retries = 0, output = { n = field.integer { required = true } } }
        return step("write", function() return writer("go").output.n end, { on_failure = "ask" })`),
      {},
      { settings: { budget: { tokens: 1_000, turns: 10 } } },
    );
    expect((await askedOf(run)).context).toMatchObject({ here: { type: 'agent_turn' } });
    const asked = provider.requests.length;
    provider.reply(() => ({ text: '{"n": 3}', usage: { input: 90, output: 10 } }));
    await retryHere(run);
    expect(await run.result()).toBe(3);
    const { budgets, usage } = await run.status();
    const all = 100 * (asked + 1);
    expect(budgets).toMatchObject([{ used: { tokens: all, turns: 2 } }]);
    expect(usage).toMatchObject({ input_tokens: 90 * (asked + 1) });
    expect(await replayRun(server.client, run)).toEqual([]);
  });
});

describe('it is not offered', () => {
  it.each([
    ['what the own code fails with', `${append('code')} error("no")`],
    ['the end of a child run that was waited for', 'return Procedure.wait(Procedure.spawn("child.tac"))'],
  ])('for %s', async (_, body) => {
    const child = `Procedure { function() return ${read('never')} end }`;
    const run = await server.tactus.start(
      procedureOf(
        `return step("load", function() ${body} end, { on_failure = { default = "retry_here", timeout = "1d" } })`,
        {
          'child.tac': child,
        },
      ),
    );
    const request = await askedOf(run);
    expect(request).toMatchObject({ options: ['retry', 'value', 'give_up'], default: 'give_up' });
    await run.decide({ request: request.id, value: 'give_up' });
    await expect(run.result()).rejects.toThrow();
  });

  it('again where other branches have gone on by what the failure led to', async () => {
    const run = await server.tactus.start(
      procedureOf(`
        local failed = false
        local function load()
          local ok, value = pcall(File.read, "never.txt")
          failed = not ok
          error(value, 0)
        end
        return Parallel {
          function() return step("load", load, { on_failure = "ask" }) end,
          function() Sleep(0.2) return File.exists(failed and "one" or "other") end,
        }`),
    );
    await waitUntil(async () => (await run.status()).checkpoints === 3);
    await retryHere(run);
    const again = await waitUntil(async () => {
      const [request] = (await run.status()).pending;
      return request?.options.length === 3 ? request : null;
    });
    expect(again.context).toMatchObject({ refused: expect.stringContaining('exists other') as string });
    await run.decide({ request: again.id, value: 'value' });
    const value = await waitUntil(
      async () => (await run.status()).pending.find(({ kind }) => kind === 'input') ?? null,
    );
    await run.decide({ request: value.id, value: 7 });
    expect(await run.result()).toEqual([7, false]);
    expect(await replayRun(server.client, run)).toEqual([]);
  });
});

describe('a run that waits to try again', () => {
  const slow = (name: string): ReturnType<typeof procedureOf> =>
    procedureOf(`
      local writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
      return Parallel {
        function() return step("load", function() return ${read(name)} end, { on_failure = "ask" }) end,
        function() return writer("go").output end,
      }`);

  it('goes on where its branch is given up meanwhile', async () => {
    provider.reply({ status: 500 }, { status: 500 }, { text: 'first' }, { text: 'then' });
    const run = await server.tactus.start(
      procedureOf(`
        local writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        local first = Parallel.race {
          function() return step("load", function() return ${read('never')} end, { on_failure = "ask" }) end,
          function() return writer("go").output end,
        }
        return { first, writer("on").output }`),
    );
    await retryHere(run);
    expect(await run.result()).toEqual(['first', 'then']);
    expect(await historiesOf(server.client, run.runId)).toHaveLength(1);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('ends when it is cancelled', async () => {
    provider.reply({ hang: true });
    const run = await server.tactus.start(slow('never'));
    await retryHere(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('begins nothing while it is paused', async () => {
    const run = await server.tactus.start(
      procedureOf(`return step("load", function() return ${read('paused')} end, { on_failure = "ask" })`),
    );
    await askedOf(run);
    await run.pause();
    await retryHere(run);
    write('paused');
    expect(await run.status()).toMatchObject({ status: 'paused' });
    expect(await historiesOf(server.client, run.runId)).toHaveLength(1);
    await run.unpause();
    expect(await run.result()).toBe('paused');
    expect(await replayRun(server.client, run)).toEqual([]);
  });
});

describe('a part is tried again from what failed', () => {
  it('fifty times, and not once more', async () => {
    // A development server has executions follow each other a second apart.
    const quick = await startTimeSkippingServer();
    const own = await startWorker(quick, { activities: { filesRoot: files } });
    const run = await quick.tactus.start(
      procedureOf(`step("load", function() ${append('fifty')} ${read('never')} end, { on_failure = "ask" })`),
    );
    for (let times = 1; times <= 50; times++) {
      await retryHere(run);
      await waitUntil(async () => (await run.status()).changes?.length === times);
    }
    await retryHere(run);
    const refused = await waitUntil(async () => {
      const [request] = await pendingOf(run);
      return request?.options.length === 3 ? request : null;
    });
    await run.decide({ request: refused.id, value: 'give_up' });
    await expect(run.result()).rejects.toMatchObject({ code: 'file_failed' });
    expect((await run.status()).changes).toHaveLength(50);
    expect(appended('fifty')).toBe('x');
    const { execution_log: log } = await run.log();
    expect(log.map(({ type }) => type)).toEqual([
      'file',
      'file',
      'hitl_select',
      'retry_here',
      'hitl_select',
      'step',
    ]);
    expect(JSON.stringify(log)).toContain('tried again 50 times');
    await own.stop();
    await quick.stop();
  });
});
