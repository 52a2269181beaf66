import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { newestEngine } from '../../src/contract/engine.js';
import { workflowType } from '../../src/contract/names.js';
import { newCarry, type StartInput } from '../../src/contract/start-input.js';
import { packCarried } from '../../src/log/pack.js';
import { answerRequests } from '../support/answer-requests.js';
import { failedTasks, historiesOf, type History } from '../support/histories.js';
import { procedureOf } from '../support/procedure-source.js';
import { replayHistories } from '../support/replay-histories.js';
import { serverWithWorker } from '../support/server-with-worker.js';
import { startDevServer } from '../support/test-server.js';

const server = serverWithWorker(startDevServer);

/** Runs a procedure that began on an older engine, and continues as new. Its result, and its executions. */
async function runSince(engine: number, runId: string, body: string): Promise<[unknown, History[]]> {
  const carry = { ...newCarry(runId, 'first', Date.now()), engine };
  const start: StartInput = { source: procedureOf(body), limits: { historyEvents: 8 }, carry };
  const handle = await server.client.workflow.start(workflowType, {
    args: [start, packCarried([])],
    ...{ workflowId: runId, taskQueue: 'tactus' },
  });
  const answers = answerRequests(server.tactus, runId, ({ message }) =>
    message === 'Which?' && Date.now() - carry.startedAt < 4_000 ? undefined : 'answer',
  );
  try {
    const result: unknown = await handle.result();
    const histories = await historiesOf(server.client, runId);
    expect(failedTasks(histories)).toEqual([]);
    expect(await replayHistories(histories.map((history) => ({ workflowId: runId, history })))).toEqual([]);
    return [result, histories];
  } finally {
    await answers.stop();
  }
}

/** The engine that each execution was handed by the one before. */
function enginesOf(histories: History[]): number[] {
  return histories.map(({ events }) => {
    const [first] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    if (first == null) throw new Error('an execution without input');
    return defaultPayloadConverter.fromPayload<StartInput>(first).carry?.engine ?? 1;
  });
}

it('a run that continues as new goes on with the newest engine, where its log means the same to it', async () => {
  const [result, histories] = await runSince(
    3,
    'moves',
    `local seen = {}
     for i = 1, 8 do
       Sleep(0.001)
       seen[i] = checkpoint(function() return i end)
     end
     return { seen = seen, answer = Human.input{ message = "Name?" } }`,
  );
  expect(result).toEqual({ seen: [1, 2, 3, 4, 5, 6, 7, 8], answer: 'answer' });
  const engines = enginesOf(histories);
  expect(engines.slice(0, 2)).toEqual([3, 3]);
  expect(new Set(engines.slice(2))).toEqual(new Set([newestEngine]));
  expect(engines.length).toBeGreaterThan(2);
});

it('it keeps its engine where something open would mean something else', async () => {
  // Engine 6 shows no label, and later ones do: people have been shown this request without.
  const [result, histories] = await runSince(
    6,
    'stays',
    `return Parallel{
       function() return Human.input{ message = "Which?", label = "One of these" } end,
       function() for i = 1, 8 do Sleep(0.001) end return "slept" end,
     }`,
  );
  expect(result).toEqual(['answer', 'slept']);
  const engines = enginesOf(histories);
  expect(engines.length).toBeGreaterThan(2);
  expect(new Set(engines)).toEqual(new Set([6]));
});

it('it keeps the engine of before 0.3.0', async () => {
  const [result, histories] = await runSince(2, 'old', 'for i = 1, 6 do Sleep(0.001) end return "slept"');
  expect(result).toBe('slept');
  expect(enginesOf(histories).length).toBeGreaterThan(1);
  expect(new Set(enginesOf(histories))).toEqual(new Set([2]));
});
