import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { newestEngine } from '../../../src/contract/engine.js';
import { workflowType } from '../../../src/contract/names.js';
import { newCarry, type StartInput } from '../../../src/contract/runs/start-input.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { packCarried } from '../../../src/log/pack.js';
import { answerRequests } from '../../support/answer-requests.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = providerWithWorker();

/** Runs a procedure that began on an older engine, and continues as new. Its result, and its executions. */
async function runSince(
  engine: number,
  runId: string,
  source: ProcedureSource,
  begun: (run: TactusRun) => Promise<void> = async () => undefined,
): Promise<[unknown, History[]]> {
  const carry = { ...newCarry(runId, 'first', Date.now()), engine };
  const start: StartInput = { source, limits: { historyEvents: 8 }, carry };
  const handle = await around.server.client.workflow.start(workflowType, {
    args: [start, packCarried([])],
    ...{ workflowId: runId, taskQueue: 'tactus' },
  });
  await begun(around.server.tactus.attach(runId));
  const answers = answerRequests(around.server.tactus, runId, ({ message }) =>
    message === 'Which?' && Date.now() - carry.startedAt < 4_000 ? undefined : 'answer',
  );
  try {
    const result: unknown = await handle.result();
    const histories = await historiesOf(around.server.client, runId);
    expect(failedTasks(histories)).toEqual([]);
    expect(await replayRun(around.server.client, { runId })).toEqual([]);
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
    procedureOf(`local seen = {}
     for i = 1, 8 do
       Sleep(0.001)
       seen[i] = checkpoint(function() return i end)
     end
     return { seen = seen, answer = Human.input{ message = "Name?" } }`),
  );
  expect(result).toEqual({ seen: [1, 2, 3, 4, 5, 6, 7, 8], answer: 'answer' });
  const engines = enginesOf(histories);
  expect(engines.slice(0, 2)).toEqual([3, 3]);
  expect(new Set(engines.slice(2))).toEqual(new Set([newestEngine]));
  expect(engines.length).toBeGreaterThan(2);
});

it('it takes along child runs, votes, events and words to agents that nobody has heard yet', async () => {
  const source = procedureSource(
    `writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
     Procedure { function()
       return Parallel{
         function() return Procedure.run("child.tac", {}) end,
         function() return Human.approve{ message = "Both?", approvers = { "ann", "bob" }, quorum = 2 } end,
         function() for i = 1, 8 do Sleep(0.1) end return { writer("Go").output, Event.wait("go") } end,
       }
     end }`,
    { 'child.tac': 'Procedure { function() return Human.input{ message = "Which?" } end }' },
  );
  const { provider } = around;
  provider.reply(() => ({ text: 'Gone' }));
  const [result, histories] = await runSince(8, 'takes-along', source, async (run) => {
    await run.steer({ message: 'Be brief', agent: 'writer' });
    await run.send('go', 'now');
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    void waitUntil(async () =>
      enginesOf(await historiesOf(around.server.client, run.runId)).includes(newestEngine),
    ).then(() => run.decide({ request: request?.id ?? '', value: true, by: 'bob' }));
  });
  expect(result).toEqual(['answer', true, ['Gone', 'now']]);
  expect(enginesOf(histories)).toContain(newestEngine);
  expect(JSON.stringify(provider.requests.map(({ body }) => body))).toContain('Be brief');
  const started = histories
    .flatMap(({ events }) => events ?? [])
    .filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
  expect(started).toHaveLength(1);
});

it('it keeps its engine where something open would mean something else', async () => {
  // Engine 6 shows no label, and later ones do: people have been shown this request without.
  const [result, histories] = await runSince(
    6,
    'stays',
    procedureOf(`return Parallel{
       function() return Human.input{ message = "Which?", label = "One of these" } end,
       function() for i = 1, 8 do Sleep(0.001) end return "slept" end,
     }`),
  );
  expect(result).toEqual(['answer', 'slept']);
  const engines = enginesOf(histories);
  expect(engines.length).toBeGreaterThan(2);
  expect(new Set(engines)).toEqual(new Set([6]));
});

it('it keeps the engine of before 0.3.0', async () => {
  const [result, histories] = await runSince(
    2,
    'old',
    procedureOf('for i = 1, 6 do Sleep(0.001) end return "slept"'),
  );
  expect(result).toBe('slept');
  expect(enginesOf(histories).length).toBeGreaterThan(1);
  expect(new Set(enginesOf(histories))).toEqual(new Set([2]));
});
