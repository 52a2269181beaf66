import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/activities/tools/define-tool.js';
import { workflowType } from '../../../src/contract/names.js';
import { newCarry, type StartInput } from '../../../src/contract/runs/start-input.js';
import { packCarried } from '../../../src/log/pack.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** An agent's turn of many rounds is replayed by JavaScript alone, where no loop of Lua ends a slice. */

const around = serverWithProvider();
let worker: TestWorker;

const rounds = 40;
const reader = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  input: z.object({ n: z.number() }),
  effect: 'pure',
  execute: ({ n }) => `Page ${n}: ${'word '.repeat(400)}`,
});
const source = procedureOf(
  'local reader = Agent { model = "openai/gpt-x", tools = { "host.read_page" } }\nreturn reader("Read").output',
);
/** A replay of the last rounds charges more than all of this; one round charges less. */
const limits = {
  turnRounds: rounds + 1,
  historyEvents: 60,
  sliceInstructions: 60_000,
  overdraftInstructions: 120_000,
};

beforeAll(async () => {
  worker = await startWorker(around.server, { activities: { env: around.env, tools: [reader] } });
});
afterAll(() => worker.stop());

beforeEach(() => {
  around.provider.reply(({ body }) => {
    const messages = body['messages'] as { role: string }[];
    const read = messages.filter(({ role }) => role === 'tool').length;
    if (read === rounds) return { text: `read ${read}` };
    return { toolCalls: [{ id: `c${read}`, name: 'read_page', arguments: `{"n":${read}}` }] };
  });
});

/** Each round was paid for once, in executions that replay. */
async function expectSound(runId: string, asked: number): Promise<void> {
  const histories = await historiesOf(around.server.client, runId);
  expect(histories.length).toBeGreaterThan(1);
  expect(failedTasks(histories)).toEqual([]);
  expect(around.provider.requests.length - asked).toBe(rounds + 1);
  expect(await replayRun(around.server.client, { runId })).toEqual([]);
}

it('a long turn goes on in another execution, in slices of what it charges', async () => {
  const asked = around.provider.requests.length;
  const run = await around.server.tactus.start(source, {}, { limits });
  expect(await run.result()).toBe(`read ${rounds}`);
  await expectSound(run.runId, asked);
});

it('a long turn that its older engine can no longer replay goes on with the newest', async () => {
  const asked = around.provider.requests.length;
  const runId = 'began-on-9';
  const carry = { ...newCarry(runId, 'first', Date.now()), engine: 9 };
  // Long enough that what the first execution hands on is too much for its engine.
  const start: StartInput = { source, limits: { ...limits, historyEvents: 160 }, carry };
  const handle = await around.server.client.workflow.start(workflowType, {
    args: [start, packCarried([])],
    ...{ workflowId: runId, taskQueue: 'tactus' },
  });
  expect(await handle.result()).toBe(`read ${rounds}`);
  await expectSound(runId, asked);
});
