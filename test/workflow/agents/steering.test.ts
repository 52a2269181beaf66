import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { MemoryStreams } from '../../../src/streams/memory-streams.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeEach(async () => {
  // Streamed, so that an answer takes its time.
  worker = await startWorker(around.server, {
    activities: { env: around.env, streams: new MemoryStreams() },
  });
});
afterEach(() => worker.stop());

const source = procedureSource(`
  ask = Tool { description = "Asks the boss", function() return tostring(Human.approve("Well?")) end }
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write.", tools = { ask } }
  critic = Agent { model = "openai/gpt-x", system_prompt = "Judge." }
  Procedure { input = { before = field.boolean{default = false} }, function(input)
    if input.before then Human.approve("Begin?") Human.approve("Sure?") end
    return writer("Write a letter").output
  end }`);

const asking = { toolCalls: [{ id: 'c1', name: 'ask', arguments: '{}' }] };

/** What the model was sent last, without its system prompt. */
function sent(): string[] {
  const { messages } = around.provider.requests.at(-1)?.body as {
    messages: { role: string; content: string }[];
  };
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${content ?? ''}`);
}

const types = async (run: TactusRun): Promise<string[]> =>
  (await run.log()).execution_log.map(({ type, position }) => `${position} ${type}`);

const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);

async function approve(run: TactusRun, message: string): Promise<void> {
  const request = await waitUntil(
    async () => (await pendingOf(run)).find((each) => each.message === message) ?? null,
  );
  await run.decide({ request: request.id, value: true });
}

describe('what is said to an agent at work', () => {
  it('is told to its model after the tools that run, and no other agent', async () => {
    around.provider.reply(asking, { text: 'In French' });
    const run = await around.server.tactus.start(source);
    await pendingOf(run);
    await run.steer({ message: 'Judge mildly', agent: 'critic' });
    await run.steer({ message: 'In French', agent: 'writer', by: 'ann' });
    await run.steer({ message: 'And short' });
    expect((await run.status()).unheard).toEqual([
      { message: 'Judge mildly', agent: 'critic' },
      { message: 'In French', agent: 'writer', by: 'ann' },
      { message: 'And short' },
    ]);
    await approve(run, 'Well?');
    expect(await run.result()).toBe('In French');
    expect(sent()).toEqual([
      'user: Write a letter',
      'assistant: ',
      'tool: true',
      'user: In French',
      'user: And short',
    ]);
    expect(await types(run)).toContain('0.2 steering');
    // The critic never asked its model.
    expect((await run.status()).unheard).toEqual([{ message: 'Judge mildly', agent: 'critic' }]);
    const [said] = (await run.log()).execution_log.filter(({ type }) => type === 'steering');
    expect(said?.result).toEqual({
      messages: [{ message: 'In French', by: 'ann' }, { message: 'And short' }],
    });
    expect(await replayed(run)).toEqual([]);
  });

  it('makes a model that has answered meanwhile go on', async () => {
    around.provider.reply(
      { slowly: { text: 'Dear Sir ' + 'or Madam '.repeat(20) }, everyMs: 20 },
      { text: 'Dear Ann' },
    );
    const run = await around.server.tactus.start(source);
    await around.provider.arrived(1);
    await run.steer({ message: 'It goes to Ann' });
    expect(await run.result()).toBe('Dear Ann');
    expect(around.provider.requests).toHaveLength(2);
    expect(sent().slice(1)).toEqual([expect.stringMatching(/^assistant: Dear Sir/), 'user: It goes to Ann']);
    expect(await replayed(run)).toEqual([]);
  });

  it('breaks an answer off where it is to', async () => {
    around.provider.reply({ hang: true }, { text: 'Dear Ann' });
    const run = await around.server.tactus.start(source, {}, { limits: { heartbeatMs: 1_000 } });
    await around.provider.arrived(1);
    await run.steer({ message: 'Stop: it goes to Ann', interrupt: true });
    expect(await run.result()).toBe('Dear Ann');
    // The provider is let go as well.
    await around.provider.requests[0]?.left;
    expect(sent()).toEqual(['user: Write a letter', 'user: Stop: it goes to Ann']);
    const { execution_log: log } = await run.log();
    expect(log.map(({ type, error }) => [type, error])).toEqual([
      ['model_call', 'A message broke the answer off'],
      ['steering', null],
      ['model_call', null],
      ['agent_turn', null],
    ]);
    const [history] = await historiesOf(around.server.client, run.runId);
    const events = history?.events ?? [];
    expect(events.filter((each) => each.activityTaskCancelRequestedEventAttributes != null)).toHaveLength(1);
    expect(await replayed(run)).toEqual([]);
  });

  it('is heard in its next turn, over executions between its turns', async () => {
    around.provider.reply(() => ({ text: 'Dear Sir' }));
    const apart = procedureSource(`
      writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
      Procedure { function()
        local first = writer("Write a letter").output
        Human.approve("Go on?")
        for _ = 1, 3 do Sleep(0.001) end
        return { first, writer("Once more").output }
      end }`);
    const run = await around.server.tactus.start(apart, {}, { limits: { historyEvents: 12 } });
    await pendingOf(run);
    await run.steer({ message: 'It goes to Ann', agent: 'writer' });
    await approve(run, 'Go on?');
    expect(await run.result()).toEqual(['Dear Sir', 'Dear Sir']);
    expect(sent().slice(-2)).toEqual(['user: Once more', 'user: It goes to Ann']);
    expect((await types(run)).filter((each) => each.endsWith('steering'))).toEqual(['5.0 steering']);
    expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(1);
    expect(await replayed(run)).toEqual([]);
  });

  it('leaves a question open that its budget asks, over executions', async () => {
    around.provider.reply(
      { toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }], usage: { input: 50, output: 50 } },
      () => ({ text: 'Dear Ann', usage: { input: 10, output: 10 } }),
    );
    const beside = procedureSource(`
      look = Tool { description = "Looks", input = {}, function() return "seen" end }
      writer = Agent { model = "openai/gpt-x", system_prompt = "Write.", max_tokens = 60, tools = { look } }
      Procedure { function()
        return Parallel {
          function() return writer({ message = "go", budget = { tokens = 110 } }).output end,
          function() Event.wait("on") for _ = 1, 8 do Sleep(0.001) end return "slept" end,
        }
      end }`);
    const run = await around.server.tactus.start(beside, {}, { limits: { historyEvents: 12 } });
    const [asked] = await pendingOf(run);
    await run.steer({ message: 'It goes to Ann', agent: 'writer' });
    await run.handle.signal('event', 'on');
    await waitUntil(async () => (await run.status()).waits.length === 1 || null);
    expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(1);
    expect((await pendingOf(run)).map(({ id }) => id)).toEqual([asked?.id]);
    await run.decide({ request: asked?.id ?? '', value: 'unlimited' });
    expect(await run.result()).toEqual(['Dear Ann', 'slept']);
    expect(sent()).toContain('user: It goes to Ann');
    expect(await replayed(run)).toEqual([]);
  });

  it.each([{ historyEvents: 9 }, {}])(
    'waits for the agent, over executions and forks (%j)',
    async (limits) => {
      around.provider.reply({ text: 'Dear Ann' }, { text: 'Dear Bob' });
      const run = await around.server.tactus.start(source, { before: true }, { limits });
      await pendingOf(run);
      await run.steer({ message: 'It goes to Ann', agent: 'writer' });
      await approve(run, 'Begin?');
      await approve(run, 'Sure?');
      expect(await run.result()).toBe('Dear Ann');
      const asked = ['user: Write a letter', 'user: It goes to Ann'];
      expect(sent()).toEqual(asked);
      const histories = await historiesOf(around.server.client, run.runId);
      expect(histories.length).toBe('historyEvents' in limits ? 2 : 1);
      expect(await replayed(run)).toEqual([]);
      // What was said is in the log that a fork begins with.
      const forked = await around.server.tactus.fork(run.runId, { at: '2.1' });
      expect(await forked.result()).toBe('Dear Bob');
      expect(sent()).toEqual(asked);
    },
  );

  it('is nothing where nothing is said, and never reaches a run that has ended', async () => {
    around.provider.reply({ text: 'Dear Sir' });
    const run = await around.server.tactus.start(source);
    for (const nothing of ['steer me', { message: ' ' }, { agent: 'writer' }, null] as JsonValue[])
      await run.handle.signal('steer', nothing).catch(() => null);
    await expect(run.steer({ message: '' })).rejects.toMatchObject({ code: 'usage' });
    await expect(run.steer({ message: 'x'.repeat(200_001) })).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    expect(await run.result()).toBe('Dear Sir');
    expect(await types(run)).toEqual(['0.0 model_call', '0 agent_turn']);
    await expect(run.steer({ message: 'Late' })).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
