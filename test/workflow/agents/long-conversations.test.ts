import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/activities/tools/define-tool.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { historiesOf, type History } from '../../support/histories.js';
import { oneExecution } from '../../support/one-execution.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
let worker: TestWorker;

/** A page of some 2,000 tokens. */
const page = (n: number): string => `Page ${n}: ${`word${n} `.repeat(1_250)}`;

const reader = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  input: z.object({ n: z.number() }),
  effect: 'pure',
  execute: ({ n }) => page(n),
});

afterEach(() => worker.stop());

async function work(): Promise<void> {
  const { env } = around;
  worker = await startWorker(around.server, { activities: { env, tools: [reader] } });
}

/** A model that reads so many pages, one after the other, and then says how many messages it was sent. */
function readsPages(count: number): void {
  around.provider.reply(({ body }) => {
    const messages = body['messages'] as { role: string; content: string }[];
    const read = messages.filter(({ role }) => role === 'tool').length;
    if (read < count)
      return { toolCalls: [{ id: `c${read}`, name: 'read_page', arguments: `{"n":${read}}` }] };
    return { text: `${messages.length} messages` };
  });
}

const bytesOf = (histories: readonly History[]): number =>
  histories
    .flatMap(({ events }) => events ?? [])
    .map((event) => JSON.stringify(event).length)
    .reduce((sum, each) => sum + each, 0);

/** Inputs of the activities of this name, as JSON. */
function inputsOf(histories: readonly History[], name: string): string[] {
  return histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === name
        ? (scheduled.input?.payloads ?? []).map(({ data }) => Buffer.from(data ?? []).toString())
        : [],
    );
}

async function start(body: string, limits = {}): Promise<TactusRun> {
  return around.server.tactus.start(
    procedureOf(
      `local reader = Agent { model = "openai/gpt-x", tools = { "host.read_page" }, max_tool_followup_rounds = 200 }\n${body}`,
    ),
    {},
    { limits: { turnRounds: 200, ...limits } },
  );
}

describe('a conversation of 200,000 tokens', () => {
  it('goes into history once, whatever it is asked', async () => {
    await work();
    readsPages(100);
    const run = await start('return reader("Read all pages").output', oneExecution);
    expect(await run.result()).toBe('201 messages');
    expect(around.provider.requests).toHaveLength(101);
    const histories = await historiesOf(around.server.client, run.runId);
    expect(histories).toHaveLength(1);
    const said = Array.from({ length: 100 }, (_, n) => page(n)).join('').length;
    expect(said).toBeGreaterThan(800_000);
    const bytes = bytesOf(histories);
    expect(bytes).toBeLessThan(4 * 1024 * 1024);
    // Every page but the last ones: whole in one call's input, and in the tool's own result.
    const inputs = inputsOf(histories, 'continuedModelCall');
    for (const n of [1, 50, 98])
      expect(inputs.filter((input) => input.includes(`Page ${n}: `))).toHaveLength(1);
    // What the model is sent is all of it.
    const last = JSON.stringify(around.provider.requests.at(-1)?.body['messages']);
    for (const n of [0, 50, 99]) expect(last).toContain(`Page ${n}: `);
    console.log(`history of 100 tool calls over ${said} characters: ${bytes} bytes`);
    expect(await replayRun(around.server.client, run)).toEqual([]);
  }, 120_000);

  it('is had from the run by a worker that doesn’t know it, and put into history no second time', async () => {
    await work();
    readsPages(6);
    const run = await start(
      'local first = reader("Read all pages").output Human.approve("Go on?") return { first, reader("And now?").output }',
      oneExecution,
    );
    const [request] = await pendingOf(run);
    await worker.stop();
    await work();
    await around.server.tactus.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual(['13 messages', '15 messages']);
    const histories = await historiesOf(around.server.client, run.runId);
    const inputs = [...inputsOf(histories, 'continuedModelCall'), ...inputsOf(histories, 'modelCall')];
    expect(inputs.filter((input) => input.includes('Page 1: '))).toHaveLength(1);
    const last = JSON.stringify(around.provider.requests.at(-1)?.body['messages']);
    for (const n of [0, 5]) expect(last).toContain(`Page ${n}: `);
  });

  it('is sent whole once by an execution that follows', async () => {
    await work();
    readsPages(40);
    const run = await around.server.tactus.start(
      procedureOf(
        'local reader = Agent { model = "openai/gpt-x", tools = { "host.read_page" } } return reader("Read all pages").output',
      ),
      {},
      { limits: { turnRounds: 200, historyBytes: 150_000 } },
    );
    expect(await run.result()).toBe('81 messages');
    expect(around.provider.requests).toHaveLength(41);
    const histories = await historiesOf(around.server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    // Each execution has sent the first page once at most.
    for (const history of histories) {
      const inputs = [...inputsOf([history], 'continuedModelCall'), ...inputsOf([history], 'modelCall')];
      expect(inputs.filter((input) => input.includes('Page 0: ')).length).toBeLessThanOrEqual(1);
    }
  }, 120_000);
});

it('branches that go on from the same beginning share it', async () => {
  await work();
  readsPages(3);
  const run = await start(`
    reader("Read all pages")
    local answers = Parallel.map({ "a", "b", "c" }, function(topic) return reader("Tell of " .. topic).output end)
    return answers`);
  expect(await run.result()).toEqual(['9 messages', '9 messages', '9 messages']);
  const histories = await historiesOf(around.server.client, run.runId);
  const inputs = inputsOf(histories, 'continuedModelCall');
  expect(inputs.filter((input) => input.includes('Tell of')).length).toBe(3);
  expect(inputs.filter((input) => input.includes('Page 0: ') && input.includes('Tell of'))).toEqual([]);
});

it('what is short is sent as it always was', async () => {
  await work();
  around.provider.reply({ text: 'a' }, { text: 'b' });
  const run = await start('reader("One") return reader("Two").output');
  expect(await run.result()).toBe('b');
  const histories = await historiesOf(around.server.client, run.runId);
  expect(inputsOf(histories, 'modelCall')).toHaveLength(2);
});
