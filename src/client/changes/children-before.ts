import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { ChangePlan, ChildFate } from '../../contract/changes/plan.js';
import {
  comparePositions,
  isWithin,
  type Outcome,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import { hasCode } from '../../contract/errors.js';
import { exact } from '../../contract/models/model-call.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { CarriedChildren } from '../../contract/runs/start-input.js';
import { eachLimit } from '../concurrency.js';
import type { CarriedStart } from '../runs/carried-start.js';
import { readHanded } from '../runs/exact-log.js';
import { startOfRun } from '../runs/start-input.js';
import { describeRun, endOf, parentOf } from '../runs/view-run.js';
import { TactusRun } from '../tactus-run.js';
import { endsHeardIn, failuresToldBy, isChildCall } from './child-ends.js';
import type { GoneOn, LogParts } from './go-on.js';

const atOnce = 8;
/** At a run that closes. */
const mostLooks = 50;
/** Between two of them. */
const pauseMs = 100;

/** A child run that has ended without a result, as it goes on from its own log. */
export interface ChildAgain {
  carried: CarriedStart;
  plan: ChangePlan;
  /** Nothing of its log is kept. */
  isAnew: boolean;
}

/** Plans that a child goes on with the run that waits for it; null: its log doesn't fit, or it would only fail again. */
export type TryAgain = (
  child: TactusRun,
  description: WorkflowExecutionDescription,
  /** Nobody else would start it: it may begin with nothing of its log. */
  mayBeAnew: boolean,
) => Promise<ChildAgain | null>;

/** How a child run stands. */
interface Child {
  isOpen: boolean;
  /** null: it goes on, or has ended without a result. */
  outcome: Outcome | null;
  /** It was started for its own sake: nothing waits for it where it was started. */
  isSpawned: boolean;
  /** null: it goes on, or stays as it has ended. */
  again: ChildAgain | null;
  /** The log has told that it failed, and it was tried again by itself since. */
  isOtherNow: boolean;
}

/** A child run that may go on, and how. */
interface Candidate {
  position: Position;
  isSpawned: boolean;
  /** It has reported its end, and is about to close where it hasn't. */
  hasReported: boolean;
  /** Whether it is tried again where it has ended without a result. */
  isTried: (closedAt: number) => boolean;
}

/**
 * The runs that a run has started, which goes back under its id.
 *
 * Owns: how they stand.
 * Asks: the server; `TryAgain` for those that have ended without a result.
 * Invariants:
 *  1. A child that is asked for at the end of what is kept, just as before, goes along with what it has come to. All others are of the part
 *     that is given up.
 *  2. One that has ended with the run that goes on, or by which that has failed, goes on from its own log.
 */
export class ChildrenBefore {
  private constructor(
    private readonly runId: string,
    private readonly known: ReadonlyMap<Position, Child>,
  ) {}

  /** @param at where the run goes back to: what is asked for there is asked anew; null: it goes on with all that hasn't failed */
  static async of(
    run: TactusRun,
    { log, kept }: LogParts,
    at: Position | null,
    tryAgain: TryAgain,
  ): Promise<ChildrenBefore> {
    const { runId } = run;
    const known = new Map<Position, Child>();
    const recorded = new Set(kept.map(({ position }) => position));
    const isAnew = (position: Position): boolean => at !== null && isWithin(position, at);
    const calls = log.filter((each) => isChildCall(each) && !recorded.has(each.position));
    for (const { position, outcome } of calls)
      if (!isAnew(position) && outcome.ok)
        known.set(position, { isOpen: false, outcome, isSpawned: false, again: null, isOtherNow: false });
    const work = await readHanded(run);
    const answered = new Set(log.map(({ position }) => position));
    const asked = new Set(work?.requests.map(({ id }) => id.slice(runId.length + 1)));
    const open = Object.keys(work?.since ?? {}).filter((each) => !answered.has(each) && !asked.has(each));
    const failed = at === null ? calls.filter(({ outcome }) => !outcome.ok) : [];
    const spawned = log.filter(({ type, outcome }) => type === 'procedure_spawn' && outcome.ok);
    // What ends with the run that has started it ends when that has recorded its last.
    const lastAt = Math.max(...log.map(({ at: recordedAt }) => recordedAt));
    const toldOf = endsHeardIn(log);
    const heard = at === null ? endsHeardIn(kept) : toldOf;
    const failures = new Set(log.flatMap(failuresToldBy));
    const candidates: Candidate[] = [
      ...open.map((position) => ({ position, isSpawned: false, hasReported: false, isTried: () => true })),
      ...failed.map(({ position }) => ({
        position,
        isSpawned: false,
        hasReported: true,
        isTried: () => true,
      })),
      ...spawned.map(({ position }) => {
        const id = `${runId}/${position}`;
        const isTried = (closedAt: number): boolean =>
          recorded.has(position) && !heard.has(id) && (toldOf.has(id) || closedAt >= lastAt);
        return { position, isSpawned: true, hasReported: toldOf.has(id), isTried };
      }),
    ];
    await eachLimit(candidates, atOnce, async (candidate) => {
      const { position, isSpawned } = candidate;
      const found = await lookAt(run, candidate, tryAgain);
      if (found === null) return;
      const id = `${runId}/${position}`;
      // Of whose end the procedure has heard, and which goes on by itself since, it doesn't wait for any more.
      const isOpen = found.isOpen && !(isSpawned && heard.has(id));
      const isOtherNow =
        isSpawned && (isOpen || found.outcome !== null) && failures.has(id) && !heard.has(id);
      known.set(position, { ...found, isOpen, isSpawned, isOtherNow });
    });
    return new ChildrenBefore(runId, known);
  }

  /** Positions of those that would go along. */
  get waitedFor(): Position[] {
    const all = [...this.known].filter(
      ([, { isOpen, outcome, isSpawned, again }]) =>
        !isSpawned && (isOpen || outcome !== null || again !== null),
    );
    return all.map(([position]) => position);
  }

  /**
   * @param isTakenOver where one that was given up goes on, whoever asks for it again takes it over; else it is to end
   */
  settle(planned: GoneOn, { isTakenOver = false } = {}): Settled {
    const { kept, plan, proof } = planned;
    const recorded = new Set(kept.map(({ position }) => position));
    const anew = new Set(plan.again.map(({ position }) => position));
    const fates = new Map<Position, ChildFate>();
    const children: Position[] = [];
    const childOutcomes: Record<Position, Outcome> = {};
    const cancelledChildren: Position[] = [];
    const started: [Position, ChildAgain][] = [];
    for (const [position, child] of this.known) {
      const { isOpen, outcome, isSpawned, again } = child;
      const goesAlong = isSpawned ? recorded.has(position) : proof?.open[position] === 'kept';
      if (goesAlong) {
        fates.set(position, fateOf(child));
        if (isOpen || again !== null || !isSpawned) children.push(position);
        if (outcome !== null && !isSpawned) childOutcomes[position] = outcome;
        if (again !== null) started.push([position, again]);
      } else if (isOpen && !isTakenOver) {
        fates.set(position, 'ended');
        cancelledChildren.push(position);
      } else if (!anew.has(position)) fates.set(position, 'left');
      else fates.set(position, isOpen ? 'adopted' : 'started_anew');
    }
    for (const { position } of planned.log.filter(isChildCall))
      if (!fates.has(position) && anew.has(position)) fates.set(position, 'started_anew');
    const inOrder = [...fates].sort(([one], [other]) => comparePositions(one, other));
    const told = inOrder.map(([position, becomes]) => ({ run_id: `${this.runId}/${position}`, becomes }));
    return {
      planned: { ...planned, plan: withPlans({ ...plan, children: told }, started) },
      carry: { children, childOutcomes, cancelledChildren },
      started: started.map(([, { carried }]) => carried),
      givenUp: cancelledChildren.map((position) => `${this.runId}/${position}`),
    };
  }
}

export interface Settled {
  /** The plan says what becomes of each. */
  planned: GoneOn & { plan: ChangePlan };
  /** What the run goes on with of them. */
  carry: Required<CarriedChildren>;
  /** Those that go on with it from their own logs. */
  started: CarriedStart[];
  /** Ids of those that nobody waits for any more, and that go on: they are to end. */
  givenUp: string[];
}

function fateOf({ isSpawned, again, isOtherNow }: Child): ChildFate {
  if (again?.isAnew === true) return 'started_anew';
  return isSpawned && again === null && !isOtherNow ? 'kept' : 'adopted';
}

/** What children ask for again is asked for with the run: a position of theirs stands after that of the child. */
function withPlans(plan: ChangePlan, children: readonly [Position, ChildAgain][]): ChangePlan {
  const within = <T extends { position: Position }>(position: Position, all: readonly T[]): T[] =>
    all.map((each) => ({ ...each, position: `${position}/${each.position}` }));
  let result = plan;
  for (const [position, { plan: own }] of children)
    result = {
      ...result,
      changed: [...result.changed, ...within(position, own.changed)],
      again: [...result.again, ...within(position, own.again)],
      requests: [...result.requests, ...own.requests],
      children: [...result.children, ...own.children],
      cost_usd: {
        kept: sumOf(result.cost_usd.kept, own.cost_usd.kept),
        estimated: sumOf(result.cost_usd.estimated, own.cost_usd.estimated),
      },
    };
  return result;
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : exact(one + other);
}

/** A run of this id that the run has started; null: there is none. */
async function lookAt(
  run: TactusRun,
  { position, isSpawned, hasReported, isTried }: Candidate,
  tryAgain: TryAgain,
): Promise<Pick<Child, 'isOpen' | 'outcome' | 'again'> | null> {
  const id = `${run.runId}/${position}`;
  const child = new TactusRun(run.handle.client.getHandle(id), id);
  try {
    const description = hasReported ? await closed(child, run.runId) : await describeRun(child);
    const { status, closeTime } = description;
    if (parentOf(description) !== run.runId) return null;
    const end = endOf(status.name);
    if (end === null) return { isOpen: true, outcome: null, again: null };
    if (end === 'completed') {
      const value: JsonValue = await child.result();
      return { isOpen: false, outcome: { ok: true, value }, again: null };
    }
    const isMeant = isTried(closeTime?.getTime() ?? 0);
    const again = isMeant ? await tryAgain(child, description, isSpawned) : null;
    return { isOpen: false, outcome: null, again };
  } catch (error) {
    if (!hasCode(error, 'run_not_found')) throw error;
    return null;
  }
}

/** A run that has reported its end, when it has closed, or after a while. One that goes on by itself since reports to nobody. */
async function closed(run: TactusRun, parentId: string): Promise<WorkflowExecutionDescription> {
  for (let looks = 1; ; looks++) {
    const description = await describeRun(run);
    if (endOf(description.status.name) !== null || looks === mostLooks) return description;
    const start = await startOfRun(run.handle.client, run.runId);
    if (start?.parent?.runId !== parentId) return description;
    await pause(pauseMs);
  }
}
