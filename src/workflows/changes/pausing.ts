import { ApplicationFailure, defineUpdate, setHandler } from '@temporalio/workflow';
import { startPosition } from '../../contract/changes/hold.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { Holds } from '../../contract/engine.js';
import {
  pauseView,
  readPause,
  type CarriedPause,
  type Pause,
  type PauseRequest,
  type StartPause,
  type PauseView,
} from '../../contract/changes/pause.js';
import type { PauseAnswer } from '../../contract/changes/pause-answer.js';
import { updateNames } from '../../contract/names.js';
import type { Holding } from './holding.js';
import { isOver, type RunStatus, type Wait } from '../../contract/runs/run-view.js';
import { busyFailure, type LocalWork } from '../effects/local-work.js';
import type { Sequence } from '../sequence.js';

const pauseUpdate = defineUpdate<PauseAnswer, [unknown?]>(updateNames.pause);
const unpauseUpdate = defineUpdate<PauseAnswer, []>(updateNames.unpause);

/** So much of what is under way is told. */
const mostWaits = 50;

/** What is held of a run. */
export interface HeldRun {
  /** From now on nothing begins. */
  pause(): void;
  /** What was held begins. `movedMs`: deadlines stood still for so long. */
  unpause(movedMs: number): void;
  /** All that it waits for. */
  readonly waits: readonly Wait[];
}

export interface PausingOptions {
  /** What the execution before handed over, or the start says; null: the run isn't paused. */
  carried: CarriedPause | null;
  sequence: Sequence;
  localWork: LocalWork;
  now: () => number;
  holds: Holds;
  /** What ends a pause that a hold began. */
  holding: Holding;
}

/**
 * Whether the run is paused: by whom, since when, and what a pause doesn't hold.
 *
 * Owns: the pause, and the handlers of the Updates `pause` and `unpause`.
 * Asks: the table of open effects to hold what is asked for, and to let go of it.
 * Invariants:
 *  1. A pause begins and ends in the turn of its event, so what it holds is a function of the order of history.
 *  2. An Update that can't be read, or comes while the worker is at a local activity, is refused and leaves no trace.
 *  3. The first of two pauses holds: another one changes nothing, and says so.
 *  4. A pause that a hold began ends with the hold, or by `unpause`. Somebody who pauses the run meanwhile takes it over.
 *  5. What was begun before a pause goes on, also in the next execution (`underWay`).
 */
export class Pausing {
  private pause: Pause | null;
  private readonly begunBefore: ReadonlySet<Position>;

  constructor(private readonly options: PausingOptions) {
    const { carried, holds } = options;
    this.begunBefore = new Set(carried?.underWay ?? []);
    this.pause = holds('pauses') ? carried : null;
  }

  /** null: the run isn't paused. */
  get view(): PauseView | null {
    return this.pause === null ? null : pauseView(this.pause);
  }

  get isOn(): boolean {
    return this.pause !== null;
  }

  /** Sleeps, waits and requests have no time that passes. */
  get standsStill(): boolean {
    return this.pause?.deadlines === 'stand_still';
  }

  /** Whether what is asked for at this position waits until the run goes on. */
  holdsBack(position: Position): boolean {
    return this.pause !== null && !this.begunBefore.has(position);
  }

  /** A run is found to be held when its source is. */
  beginAtStart(pause: StartPause): void {
    this.pause = { ...pause, at: this.options.now() };
  }

  /** For another execution. @param underWay what has begun, and the procedure hasn't been told of */
  handedOver(underWay: () => Position[]): CarriedPause | undefined {
    return this.pause === null ? undefined : { ...this.pause, underWay: underWay() };
  }

  /** Takes Updates from now on. */
  listen(run: HeldRun, status: () => RunStatus): void {
    const { sequence, holding } = this.options;
    const { hold } = this.pause ?? {};
    if (hold !== undefined) holding.wait(startPosition, hold, () => void this.end(run));
    const inTurn = (take: () => boolean): Promise<PauseAnswer> =>
      new Promise((resolve) => {
        sequence.add(() => resolve(this.answer(run, status(), take)), { lasts: true });
      });
    setHandler(pauseUpdate, (given = {}) => inTurn(() => this.begin(readPause(given) as PauseRequest, run)), {
      validator: (given = {}) => {
        const read = readPause(given);
        if (typeof read === 'string') throw ApplicationFailure.nonRetryable(read, 'invalid');
        this.refuse();
      },
      description: 'Pauses the run: {"by", "reason", "deadlines": "go_on" | "stand_still"}, all optional',
    });
    setHandler(unpauseUpdate, () => inTurn(() => this.end(run)), {
      validator: () => this.refuse(),
      description: 'Lets a paused run go on',
    });
  }

  private begin(request: PauseRequest, run: HeldRun): boolean {
    if (this.pause !== null && this.pause.hold === undefined) return false;
    const { holding, now } = this.options;
    holding.drop(startPosition);
    this.pause = { ...request, at: now() };
    run.pause();
    return true;
  }

  private end(run: HeldRun): boolean {
    if (this.pause === null) return false;
    const movedMs = this.standsStill ? this.options.now() - this.pause.at : 0;
    this.pause = null;
    this.options.holding.drop(startPosition);
    run.unpause(movedMs);
    return true;
  }

  /** The run is ended: it does what it does at its end. */
  lift(run: HeldRun): void {
    this.end(run);
  }

  /** The turn of an Update. A run that has come to its end is left as it is. */
  private answer(run: HeldRun, status: RunStatus, take: () => boolean): PauseAnswer {
    const before = this.view;
    const hasEnded = isOver(status);
    const changed = !hasEnded && take();
    const waits = hasEnded ? [] : run.waits.filter(({ held }) => held !== true);
    return {
      status: hasEnded ? 'ended' : this.isOn ? 'paused' : 'running',
      changed,
      paused: this.view ?? before,
      waiting_for: waits.slice(0, mostWaits),
      waiting: waits.length,
    };
  }

  /** Of a busy run, see `Inbox`: the acceptance of an Update is a command at the moment when it arrives. */
  private refuse(): void {
    if (!this.options.holds('pauses'))
      throw ApplicationFailure.nonRetryable(
        'the run began on a version that pauses no runs: it can be paused when it has continued as new',
        'unsupported',
      );
    if (this.options.localWork.isUnderWay) throw busyFailure('send it again');
  }
}
