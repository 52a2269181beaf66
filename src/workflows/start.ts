import {
  allHandlersFinished,
  CancellationScope,
  condition,
  ContinueAsNew,
  defineSignal,
  isCancellation,
  makeContinueAsNewFunc,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { topIndex, type Outcome, type Position } from '../contract/checkpoints/checkpoint.js';
import type { CarriedPause } from '../contract/changes/pause.js';
import { anewParts } from '../contract/changes/run-change.js';
import { changesOf, type Holds } from '../contract/engine.js';
import { TactusError } from '../contract/errors.js';
import { signalNames } from '../contract/names.js';
import { sumUsage, type Usage } from '../contract/models/model-call.js';
import { defined, type JsonValue } from '../contract/json/json.js';
import { maxPendingRuns, replayableInstructions, type Limits } from '../contract/runs/limits.js';
import { memoOf } from '../contract/procedures/source.js';
import { limitsOf, newCarry, type StartInput } from '../contract/runs/start-input.js';
import { unpackCarried, type CarriedLog } from '../log/pack.js';
import { reportToParent } from './runs/child-start.js';
import { ChildWorkflows } from './runs/child-workflows.js';
import type { RunContext, TactusWorkflow } from './effects/effect-kind.js';
import { cancelError, cancelledFailure, endCancelling } from './runs/cancelling.js';
import { factsAtStart } from './runs/run-facts.js';
import { Changing } from './changes/changing.js';
import { fromItsEnd } from './history/hand-over.js';
import { Inbox } from './inbox.js';
import { Holding } from './changes/holding.js';
import { Pausing } from './changes/pausing.js';
import {
  Conversations,
  findSource,
  LocalWork,
  type FoundStart,
  type SourcedStart,
} from './effects/local-work.js';
import type { TellingRun } from './people/message-input.js';
import { openStates } from './effects/performers.js';
import { answerQueries } from './runs/queries.js';
import { sendMockEvents } from './mocks/mock-answers.js';
import { Run } from './run.js';
import { dropAllTasks, parkedTasks } from './tools/parked-tasks.js';
import { drained, Sequence } from './sequence.js';
import { Watches } from './runs/watch.js';
import { asksForLostReports, watchChildren } from './runs/watch-others.js';

const cancelNow = defineSignal(signalNames.cancelNow);

function hasEnded({ log }: Run['program'], position: Position): boolean {
  return log.find(position) !== null || log.sealed.has(position);
}

/** Runs a procedure on engine 2, or a newer one. */
export function start(input: StartInput, packed: unknown, engine: number): Promise<JsonValue> {
  const root = CancellationScope.current();
  // What ends with the run is ended by the run, in its turn, and by nobody else.
  return CancellationScope.nonCancellable(() => startIn(root, input, packed, engine));
}

function startIn(
  root: CancellationScope,
  given: StartInput,
  packed: unknown,
  engine: number,
): Promise<JsonValue> {
  const { workflowId: runId, firstExecutionRunId } = workflowInfo();
  const clock = { now: Date.now() };
  const input = fromItsEnd(given, clock.now);
  const now = (): number => clock.now;
  const carry = input.carry ?? newCarry(runId, firstExecutionRunId, clock.now);
  const log: CarriedLog = packed === undefined ? { entries: [] } : unpackCarried(packed);
  let run: Run | null = null;
  let context: RunContext | null = null;
  const sequence = new Sequence();
  const { pass } = carry;
  const isPassed = (position: string): boolean =>
    (run !== null && hasEnded(run.program, position)) ||
    (pass !== undefined && topIndex(position) < pass.position);
  const holds = changesOf(engine);
  const localWork = new LocalWork(sequence, holds('recorded-before-changes'), holds('replay-budget'));
  const isSigned = (): boolean | null => {
    const settled = context?.start ?? (input.source === undefined ? null : input);
    return settled === null ? null : settled.settings?.signedDecisions === true;
  };
  const telling = (): Omit<TellingRun, 'isSigned'> => ({
    ...{ runId, firstExecutionId: carry.firstExecutionId },
    procedure: run?.facts.procedure ?? '',
    heartbeatMs: (context?.limits ?? limitsOf(input)).heartbeatMs,
  });
  const inbox = new Inbox({
    ...{ ledger: carry.ledger, sequence, localWork, now, isPassed, holds, isSigned, telling },
  });
  const changing = new Changing(sequence, localWork, holds);
  const holding = new Holding({ runId, sequence, now, holds });
  const pausing = new Pausing({
    ...{ carried: pauseAtStart(input, clock.now), sequence, localWork, now, holds, holding },
  });
  const countUsage = (used: Usage, late: Position | null): void => {
    if (context !== null) context.usage = sumUsage(context.usage, used);
    if (late !== null) run?.program.spend({ position: late, usage: used });
  };
  const asksForLost = asksForLostReports(input, holds);
  // Others that are watched already are so with it.
  const watchFirst = (): void => {
    if (context?.children.unattended.length === 1) watchChildren(context, asksForLost);
  };
  const children = new ChildWorkflows({
    ...{ runId, carried: carry, sequence, onUsage: countUsage, holds },
    most: holds('bounded-sends') ? maxPendingRuns : Infinity,
    onTakenOver: holds('children-after-reset') ? watchFirst : null,
  });
  const kept = openStates(sequence, carry.kept ?? {}, holds);
  endWhenAsked(root, sequence, {
    isAsked: carry.cancelled === true,
    run: () => run,
    context: () => context,
  });
  answerQueries(
    () => run?.facts ?? factsAtStart(runId, input, carry, engine, pausing.view),
    () => run?.program.observed ?? null,
    (position) => run?.conversationAt(position) ?? null,
    () => run?.waitingChange ?? null,
  );

  const execute = (sourced: SourcedStart): Promise<JsonValue> => {
    const started: RunContext = {
      ...{
        engine,
        runId,
        firstExecutionId: carry.firstExecutionId,
        anew: anewParts(carry.changes ?? []),
        start: sourced,
        limits: limitsOn(holds, sourced),
      },
      ...{ sequence, localWork, inbox, changing, pausing, holding, children, clock, now },
      watches: new Watches(carry.watches ?? {}, holds('lasting-watches')),
      usage: carry.usage,
      labels: () => run?.program.marks.labels,
      passEnd: null,
      retriesHere: { waiting: new Map(), isHolding: false },
      cancelling: null,
      countLate: (position, used) => countUsage(used, position),
      conversations: new Conversations(),
      kept,
    };
    context = started;
    run = new Run(started, carry, log);
    // Each execution has the memo that the first was started with. Another source is no published version.
    if (carry.changes?.some(({ from, to }) => from !== to) === true)
      upsertMemo({ published: null, ...memoOf(sourced.source, { ...sourced, parent: undefined }) });
    watchChildren(started, asksForLost);
    sendMockEvents(started, carry.startedAt);
    return finish(run, started);
  };
  const executeFound = ({ held, ...sourced }: FoundStart): Promise<JsonValue> => {
    if (held !== undefined && !pausing.isOn) pausing.beginAtStart(held);
    return execute(sourced);
  };
  return input.source === undefined
    ? localWork.perform(() => findSource(input, holds('holds'))).then(executeFound)
    : execute(input as SourcedStart);
}

/** A start says whether the run is to be looked at first; later, only what the execution before handed over counts. */
function pauseAtStart({ paused, carry }: StartInput, at: number): CarriedPause | null {
  if (carry !== undefined) return carry.pause ?? null;
  return paused === undefined ? null : { ...paused, at, underWay: [] };
}

/** What bounds a run: by default, no more Lua than a worker can replay. */
function limitsOn(holds: Holds, start: StartInput): Limits {
  const limits = limitsOf(start);
  const isSaid = start.limits?.totalInstructions !== undefined;
  return isSaid || !holds('replay-budget')
    ? limits
    : { ...limits, totalInstructions: replayableInstructions };
}

/** A request to end has its turn like all else. */
function endWhenAsked(
  root: CancellationScope,
  sequence: Sequence,
  { isAsked, run, context }: { isAsked: boolean; run: () => Run | null; context: () => RunContext | null },
): void {
  const end = (error: unknown): void => {
    if (run()?.beginCancelling() !== true) throw error;
  };
  // A server takes one request to cancel of a run.
  setHandler(cancelNow, () => sequence.add(() => endCancelling(context())));
  if (isAsked) sequence.add(() => end(cancelledFailure()), { lasts: true });
  root.cancelRequested.catch((error: unknown) => sequence.add(() => end(error), { lasts: true }));
}

/** So long a run that has ended waits for what its cancelled children have used, in ms. */
const lastUsageMs = 5_000;

/** @param taskMs time for each workflow task from then on; null: as before */
function goOnWith(taskMs: number | null): (...args: Parameters<TactusWorkflow>) => Promise<never> {
  return makeContinueAsNewFunc<TactusWorkflow>(taskMs === null ? {} : { workflowTaskTimeout: taskMs });
}

async function finish(run: Run, context: RunContext): Promise<JsonValue> {
  const { runId } = context;
  try {
    const ending = await run.execute();
    if (ending.kind === 'continue') return await goOnWith(ending.taskMs)(ending.start, ending.log);
    await end(run, context, { ok: true, value: ending.output });
    return ending.output;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (error instanceof TactusError) {
      run.close('failed', null, error);
      await end(run, context, { ok: false, code: error.code, message: error.message });
    } else if (isCancellation(error)) {
      run.close('cancelled', null, cancelError(context, run.program));
      await end(run, context, { ok: false, code: 'cancelled', message: `${runId} was cancelled` });
    }
    throw error;
  }
}

/** Children that were cancelled are about to tell what they have used: a moment is enough where a worker is there. */
async function hearOfUsage(run: Run, { children, sequence }: RunContext): Promise<void> {
  if (children.givenUp.haveReported) return;
  let isOver = false;
  const scope = new CancellationScope({ cancellable: true });
  const time = scope.run(() => sleep(lastUsageMs, { summary: 'for what cancelled runs have used' }));
  void time.then(
    () => (isOver = true),
    () => undefined,
  );
  while (!children.givenUp.haveReported && !isOver) {
    await condition(() => isOver || !sequence.isEmpty);
    run.settleLasting();
  }
  scope.cancel();
}

/** The last that a run does: its children end, whoever waits for it is told, and whoever decided has a verdict. */
async function end(run: Run, context: RunContext, outcome: Outcome): Promise<void> {
  const { start, children, inbox } = context;
  inbox.verifying.end();
  context.changing.end('ended');
  if (
    children.isEmpty &&
    parkedTasks(context).isEmpty &&
    inbox.delivering.isIdle &&
    context.holding.isIdle &&
    start.parent === undefined &&
    allHandlersFinished()
  ) {
    run.settleLasting();
    // Nobody is left to be told. Each promise below would cost more than a step of Lua: the SDK keeps its stack trace.
    if (allHandlersFinished()) return;
  }
  await children.cancelAll();
  if (changesOf(context.engine)('all-usage')) await hearOfUsage(run, context);
  if (!parkedTasks(context).isEmpty) await dropAllTasks(context);
  if (!context.holding.isIdle) await context.holding.end();
  if (!inbox.delivering.isIdle) await inbox.delivering.end();
  // A server that skips time for tests stands still for good where a child ends after its parent.
  if ((start.mock?.people ?? null) !== null) await children.allClosed();
  const calls = run.program.calls ?? undefined;
  const report = !outcome.ok && run.program.hasGivenUp ? { ...outcome, givenUp: true as const } : outcome;
  await reportToParent(start.parent, report, { ...context.usage, ...defined({ calls }) });
  run.settleLasting();
  await drained();
}
