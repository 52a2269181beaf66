import { beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Carry } from '../../../src/contract/runs/start-input.js';
import { historiesOf, type History } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { resetRun } from '../../support/reset-run.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

/** A run that waits for another run, and was handed the times of its looks (`carry.watches`), goes on in other ways than by itself. */

const server = serverWithWorker(startDevServer);

const twentyDays = 20 * 86_400_000;

/** Hears a word, then waits for another run for 20 days at most, beside a question to people. */
const source = procedureOf(`
  local word = Event.wait("word")
  local both = Parallel {
    function()
      local ok, result = pcall(Procedure.wait, input.id, "20d")
      return ok and result or Error.code(result)
    end,
    function()
      checkpoint(function() return "asked" end)
      return Human.approve("Go?")
    end,
  }
  return { word = word, result = both[1], ok = both[2] }`);

const wait = '1.0.0';
let other: TactusRun;
let before: TactusRun;

function carryOf({ events }: History): Partial<Carry> {
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const start = JSON.parse(Buffer.from(payload?.data ?? []).toString()) as { carry?: Carry };
  return start.carry ?? {};
}

/** When the timers of an execution that last for days fire, in ms since 1970. */
function longTimers({ events }: History): number[] {
  return (events ?? []).flatMap(({ eventTime, timerStartedEventAttributes: timer }) => {
    const { seconds, nanos } = timer?.startToFireTimeout ?? {};
    const ms = Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6;
    return ms < 86_400_000
      ? []
      : [Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6 + ms];
  });
}

/** The newest execution, as soon as it has set its long timer. */
function waitingExecution({ runId }: TactusRun): Promise<History> {
  return waitUntil(async () => {
    const history = await server.client.workflow.getHandle(runId).fetchHistory();
    return longTimers(history).length > 0 && history;
  });
}

beforeEach(async () => {
  other = await server.tactus.start(procedureOf('return Human.input("Other?")'));
  before = await server.tactus.start(source, { id: other.runId }, { limits: { historyEvents: 15 } });
  await before.send('word', 'tea');
  await pendingOf(before);
  // Events that nobody waits for make the history long enough.
  for (let i = 0; i < 8; i++) await before.send('noise', i);
  await waitUntil(async () => {
    const { watches } = carryOf(await waitingExecution(before));
    return watches?.[wait] !== undefined;
  });
});

/** Once it is all decided, the run has heard what it needs once, no task of it failed, and it replays. */
async function expectSound(run: TactusRun): Promise<void> {
  const pending = await pendingOf(run);
  expect(pending.map(({ message }) => message)).toEqual(['Go?']);
  const deadline = carryOf((await historiesOf(server.client, before.runId)).at(-1)!).deadlines?.[wait] ?? 0;
  expect(deadline).toBeGreaterThan(Date.now() + twentyDays - 60_000);
  const [timer, ...others] = longTimers(await waitingExecution(run));
  expect(others).toEqual([]);
  // A timer is set some ms after the moment that it counts from.
  expect(Math.abs((timer ?? 0) - deadline)).toBeLessThan(1_000);

  await run.decide({ request: pending[0]?.id ?? '', value: true });
  await other.decide({ request: `${other.runId}/0`, value: 'done' });
  expect(await run.result()).toEqual({ word: 'tea', result: 'done', ok: true });
  const types = (await run.log()).execution_log.map(({ type }) => type);
  const once = ['event_wait', 'explicit_checkpoint', 'hitl_approval', 'parallel', 'procedure_wait'];
  expect(types.toSorted()).toEqual(once);
  await soundExecutions(server.client, run, { wasReset: true });
}

describe('the wait of a run that looks at another run ever more seldom', () => {
  it('keeps its deadline in a fork', async () => {
    await expectSound(await server.tactus.fork(before.runId, { at: '1.1.0' }));
    await before.terminate();
  });

  it('keeps its deadline in an import of its export', async () => {
    const record = JSON.stringify(await server.tactus.export(before.runId));
    await expectSound(await server.tactus.import(record, { runId: `${before.runId}-2` }));
    await before.terminate();
  });

  it.each([true, false])('keeps its deadline where its execution is reset (reapply: %s)', async (reapply) => {
    await resetRun(server.client, before.runId, { reapply });
    await expectSound(before);
  });

  it('keeps its deadline where the execution before is reset, behind the begin of the wait', async () => {
    const [first] = await historiesOf(server.client, before.runId);
    const execution =
      first?.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '';
    await resetRun(server.client, before.runId, { execution, task: -1 });
    await expectSound(before);
  });
});
