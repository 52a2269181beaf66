import type { ChangePlan, ChildFate } from '../../contract/changes/plan.js';
import {
  comparePositions,
  isWithin,
  type Checkpoint,
  type Outcome,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import { hasCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { CarriedChildren } from '../../contract/runs/start-input.js';
import { eachLimit } from '../concurrency.js';
import { readHanded } from '../runs/exact-log.js';
import { describeRun, endOf } from '../runs/view-run.js';
import { TactusRun } from '../tactus-run.js';
import type { GoneOn, LogParts } from './go-on.js';

const atOnce = 8;

/** How a child run stands; `outcome`: null where it goes on, or has failed. */
interface Child {
  isOpen: boolean;
  outcome: Outcome | null;
  /** It was started for its own sake: nothing waits for it where it was started. */
  isSpawned: boolean;
}

/**
 * The runs that a run has started, which goes back under its id.
 *
 * Owns: how they stand.
 * Asks: the server.
 * Invariant: a child that is asked for at the end of what is kept, just as before, goes along with what it has come to. All others are of the
 *   part that is given up.
 */
export class ChildrenBefore {
  private constructor(
    private readonly runId: string,
    private readonly known: ReadonlyMap<Position, Child>,
  ) {}

  /** @param at where the run goes back to: what is asked for there is asked anew; null: it goes on with all that hasn't failed */
  static async of(run: TactusRun, { log, kept }: LogParts, at: Position | null): Promise<ChildrenBefore> {
    const { runId } = run;
    const known = new Map<Position, Child>();
    const recorded = new Set(kept.map(({ position }) => position));
    const isAnew = (position: Position): boolean => at !== null && isWithin(position, at);
    for (const { position, outcome } of log.filter(isCall))
      if (!recorded.has(position) && !isAnew(position) && outcome.ok)
        known.set(position, { isOpen: false, outcome, isSpawned: false });
    const work = await readHanded(run);
    const answered = new Set(log.map(({ position }) => position));
    const asked = new Set(work?.requests.map(({ id }) => id.slice(runId.length + 1)));
    const open = Object.keys(work?.since ?? {}).filter((each) => !answered.has(each) && !asked.has(each));
    const spawned = log.filter(({ type, outcome }) => type === 'procedure_spawn' && outcome.ok);
    await eachLimit([...open, ...spawned], atOnce, async (each) => {
      const isSpawned = typeof each !== 'string';
      const position = isSpawned ? each.position : each;
      const found = await lookAt(run, `${runId}/${position}`);
      if (found !== null) known.set(position, { ...found, isSpawned });
    });
    return new ChildrenBefore(runId, known);
  }

  /** Positions of those that would go along. */
  get waitedFor(): Position[] {
    const all = [...this.known].filter(
      ([, { isOpen, outcome, isSpawned }]) => !isSpawned && (isOpen || outcome !== null),
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
    for (const [position, { isOpen, outcome, isSpawned }] of this.known) {
      const goesAlong = isSpawned ? recorded.has(position) : proof?.open[position] === 'kept';
      if (goesAlong) {
        fates.set(position, isSpawned ? 'kept' : 'adopted');
        if (isOpen || !isSpawned) children.push(position);
        if (outcome !== null && !isSpawned) childOutcomes[position] = outcome;
      } else if (isOpen && !isTakenOver) {
        fates.set(position, 'ended');
        cancelledChildren.push(position);
      } else if (!anew.has(position)) fates.set(position, 'left');
      else fates.set(position, isOpen ? 'adopted' : 'started_anew');
    }
    for (const { position } of planned.log.filter(isCall))
      if (!fates.has(position) && anew.has(position)) fates.set(position, 'started_anew');
    const inOrder = [...fates].sort(([one], [other]) => comparePositions(one, other));
    const told = inOrder.map(([position, becomes]) => ({ run_id: `${this.runId}/${position}`, becomes }));
    return {
      planned: { ...planned, plan: { ...plan, children: told } },
      carry: { children, childOutcomes, cancelledChildren },
      givenUp: cancelledChildren.map((position) => `${this.runId}/${position}`),
    };
  }
}

export interface Settled {
  /** The plan says what becomes of each. */
  planned: GoneOn & { plan: ChangePlan };
  /** What the run goes on with of them. */
  carry: Required<CarriedChildren>;
  /** Ids of those that nobody waits for any more, and that go on: they are to end. */
  givenUp: string[];
}

/** A call of a child run. Without a digest it is a frame: a procedure of the file itself. */
function isCall({ type, digest }: Checkpoint): boolean {
  return type === 'procedure_call' && digest !== '';
}

/** A run of this id that the run has started; null: there is none. */
async function lookAt(run: TactusRun, id: string): Promise<Omit<Child, 'isSpawned'> | null> {
  const child = new TactusRun(run.handle.client.getHandle(id), id);
  try {
    const { status, parentExecution } = await describeRun(child);
    if (parentExecution?.workflowId !== run.runId) return null;
    const end = endOf(status.name);
    const value: JsonValue = end === 'completed' ? await child.result() : null;
    return { isOpen: end === null, outcome: end === 'completed' ? { ok: true, value } : null };
  } catch (error) {
    if (!hasCode(error, 'run_not_found')) throw error;
    return null;
  }
}
