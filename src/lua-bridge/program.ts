import type { Trial } from '../contract/changes/trial.js';
import type { CarriedAnswers } from '../contract/runs/carried-answers.js';
import type { Checkpoint, EffectRequest, Outcome, Position } from '../contract/checkpoints/checkpoint.js';
import type { Spent } from '../contract/models/model-call.js';
import { changesOf, newestEngine } from '../contract/engine.js';
import { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json/json.js';
import type { Shown } from '../contract/runs/run-view.js';
import { ExecutionLog } from '../log/execution-log.js';
import { neverAsked, neverReached } from '../log/compare.js';
import { assertDeclaresOnly, AskedEffects, type Settled, type Turn } from './asked-effects.js';
import {
  lauxlib,
  branchOf,
  cleanups,
  noteAnswered,
  noteAsked,
  RunMeter,
  Scheduler,
  type Bridge,
  type Frame,
  type LuaState,
  type Scope,
} from './kernel/index.js';
import { spending } from './budgets/run-budgets.js';
import { keepInput } from './procedures/read-only.js';
import { rootFrame, runMain } from './main/main-task.js';
import { cancelledWork, withCleanup } from './checkpoints/compensating.js';
import { lookAtStart, putSnapshot, takeSnapshot } from './main/snapshots.js';
import { openLibraries, openPrimitives } from './open-primitives.js';
import { specOf, type ProgramOptions } from './program-options.js';
import { chargeLine } from './stdlib/base.js';
import { ProgramView } from './program-view.js';

/**
 * A procedure in a Lua state of its own. It asks for effects and is told how they ended; what performs them, in
 * Temporal or in a test, is not its business. The same answers in the same order make it do the same.
 *
 * Owns: the Lua state, the scheduler, the meter, the execution log, the procedure's clock and what it printed.
 * Asks: nobody. Its host calls `turn` and `settle`.
 * Invariants:
 *  1. A turn looks at one answer of the host at most, but in a trial. Carried answers are used up before.
 *  2. An answer is in the log before the procedure is told. One that nobody waits for is not recorded.
 *  3. The clock never goes back.
 *  4. After the program has ended, each turn gives the same ending.
 */
export class Program extends ProgramView {
  readonly log: ExecutionLog;
  readonly shown: Shown[] = [];
  /** What another run was answered, where it tries a source with that. */
  readonly trial: Trial | null;
  private readonly scheduler: Scheduler;
  protected readonly root: Frame;
  protected readonly bridge: Bridge;
  private readonly asked: AskedEffects;
  private readonly settled: Settled[] = [];
  /** What was used for others, and hasn't been counted yet. */
  readonly unspent: Spent[];
  /** How many lines of this pass were shown before those in `shown`. */
  private shownBefore = 0;
  private ended: Turn | null = null;
  private output: JsonValue = null;
  private clock: number;

  constructor(options: ProgramOptions) {
    super();
    const { limits, carried, seed, drift = null, onCompacted } = options;
    this.clock = options.pass?.at ?? options.startedAt;
    this.unspent = [...(options.spent ?? [])];
    const L = lauxlib.luaL_newstate();
    const holds = changesOf(options.engine ?? newestEngine);
    const meter = new RunMeter(L, limits, holds);
    this.scheduler = new Scheduler(L, meter, limits, holds, (request, scope) => {
      this.onAsk(request, scope);
      options.onAsked?.(request);
    });
    this.log = new ExecutionLog(
      carried,
      (position) => this.scheduler.awaited.isAwaited(position),
      (checkpoint) => meter.holdCheckpoint(checkpoint),
      options.answers,
      options.judge,
    );
    this.trial = options.trial ?? null;
    this.asked = new AskedEffects(this.scheduler.awaited.pending, limits.openEffects, this.trial);
    const bridge: Bridge = (this.bridge = {
      L,
      scheduler: this.scheduler,
      meter,
      log: this.log,
      limits,
      holds,
      run: specOf(options),
      now: () => this.clock,
      passTo: (at) => void (this.clock = Math.max(this.clock, at)),
      show: (line) => {
        chargeLine(meter, line);
        this.shown.push(line);
      },
      isSteered: options.isSteered ?? (() => false),
      takeSteering: options.takeSteering ?? (() => ({ messages: [] })),
      lookAtStart: (thread, frame) => lookAtStart(bridge, thread, frame, libraries),
      takeSnapshot: (thread, frame, begun) =>
        takeSnapshot(bridge, thread, frame, libraries, { shown: this.shownSoFar, begun }),
      putSnapshot: (thread, frame, snapshot) => {
        putSnapshot(bridge, thread, frame, snapshot, libraries);
        // Those that it has shown before are of another execution.
        this.shown.length = 0;
        this.shownBefore = snapshot.shown;
      },
      onCompacted: onCompacted === undefined ? null : (part) => onCompacted(part, this.log.needed),
      kept: new Map(),
    });
    L.l_G.host = bridge;
    const libraries = openLibraries(bridge, { seed, drift, warn: (warning) => this.shown.push(warning) });
    openPrimitives(bridge);
    this.root = rootFrame(bridge);
    const main = branchOf(bridge, (thread) => this.main(thread));
    this.scheduler.start(main, this.root);
  }

  /**
   * Runs until the program waits for something, its slice is used up, or it has ended. Looks at one answer at most, so
   * what a turn does, and how long its slice is, doesn't depend on how many answers arrive together.
   */
  turn(): Turn {
    if (this.ended !== null) return this.ended;
    try {
      return this.advance();
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      return (this.ended = { kind: 'failed', error });
    }
  }

  /**
   * An effect has ended; `at` is the time (ms since 1970) that the procedure's clock goes to. Takes effect with one
   * of the next turns: what one answer leads to is done before the next is looked at.
   */
  settle(position: Position, outcome: Outcome, at: number): void {
    const settled = { position, outcome, at };
    if (!this.asked.tellTrial(settled)) this.settled.push(settled);
  }

  /**
   * The run was asked to end, at this time in ms since 1970: with the next turn, compensations and deferred functions take the place of all
   * else, after those that are at work. False: there are none.
   */
  cancel(at: number): boolean {
    const { bridge } = this;
    if (this.hasEnded || !bridge.holds('sagas')) return false;
    const all = cleanups.of(bridge);
    if (all.steps.length === 0) return false;
    all.isCancelled = true;
    bridge.passTo(at);
    this.scheduler.replaceWhen(() => !all.isRunning, cancelledWork(bridge), this.root);
    return true;
  }

  /** Each further turn gives the same ending. */
  get hasEnded(): boolean {
    return this.ended !== null;
  }

  /** When the procedure asked for what it waits for at this position, in ms since 1970; undefined: nothing is waited for there. */
  askedAt(position: Position): number | undefined {
    return this.asked.askedAt(position);
  }

  /** Counts in the budgets what was used for others, with the next answer: a replay knows it by that one's checkpoint. */
  spend(spent: Spent): void {
    if (this.bridge.holds('all-usage') && spending.of(this.bridge).isHeld(spent.position))
      this.unspent.push(spent);
  }

  /**
   * The whole log, with the answers that the program hasn't looked at yet: what another execution starts from.
   * The program must not be used after this.
   */
  drain(): readonly Checkpoint[] {
    for (const settled of [...this.asked.told.splice(0), ...this.settled.splice(0)]) {
      const checkpoint = this.asked.toCheckpoint(settled, this.clock);
      if (checkpoint === null) this.dropped(settled);
      else this.log.append(checkpoint);
    }
    return this.log.needed;
  }

  /** Answers that were recorded elsewhere, and that the program hasn't asked for; null: there are none. */
  get answersLeft(): CarriedAnswers | null {
    return this.log.answersLeft;
  }

  protected get shownSoFar(): number {
    return this.shownBefore + this.shown.length;
  }

  /** Effects that the program waits for, in the order in which it asked. */
  get pending(): EffectRequest[] {
    return [...this.scheduler.awaited.pending.values()];
  }

  private *main(L: LuaState): Generator<never, number, unknown> {
    this.root.scope.input = keepInput(L, this.bridge.run.input);
    const work = withCleanup(this.bridge, L, () => runMain(this.bridge, L));
    this.output = yield* work as Generator<never, JsonValue, unknown>;
    return 0;
  }

  private advance(): Turn {
    this.bridge.meter.beginSlice();
    if (this.scheduler.isIdle && this.log.next === null) {
      const settled = this.settled.shift();
      if (settled !== undefined) this.record(settled);
    }
    let woken: Checkpoint | null = null;
    for (;;) {
      const run = this.scheduler.run();
      if (run === 'slice') return { kind: 'slice' };
      if (run === 'finished') return this.finish();
      const { next } = this.log;
      if (next !== null && next !== woken && !this.scheduler.awaited.isAwaited(next.position)) {
        // A branch that waits for its turn may be the one that comes to it.
        woken = next;
        if (this.scheduler.wake(true)) continue;
      }
      const told = next === null ? this.asked.nextTold() : undefined;
      if (told !== undefined) {
        this.record(told);
        continue;
      }
      if (next === null) break;
      const ended = this.log.append(next);
      // An answer that was recorded although its branch had been given up answers nobody this time either.
      if (this.scheduler.awaited.pending.has(next.position)) this.answer(ended);
      else if (!this.scheduler.awaited.isAwaited(next.position)) throw neverReached(next, this.pending);
      else if (this.bridge.holds('late-usage') && !this.log.hasSpent(next.position)) this.dropped(next);
    }
    const cancelled = this.scheduler.awaited.takeGivenUp().filter((position) => this.asked.close(position));
    return { kind: 'blocked', asked: this.asked.handOut(), cancelled };
  }

  private finish(): Turn {
    const error = this.scheduler.ending?.error ?? null;
    if (error !== null) return (this.ended = { kind: 'failed', error });
    const { next, nextAnswer } = this.log;
    if (next !== null && !this.scheduler.awaited.isAwaited(next.position)) throw neverReached(next, []);
    if (nextAnswer !== null) throw neverAsked(nextAnswer);
    return (this.ended = { kind: 'completed', output: this.output });
  }

  private record(settled: Settled): void {
    const checkpoint = this.asked.toCheckpoint(settled, this.clock);
    if (checkpoint === null) return this.dropped(settled);
    const spent = this.takeUnspent();
    if (spent.length > 0) checkpoint.outcome = { ...checkpoint.outcome, spent };
    this.answer(this.log.append(checkpoint));
  }

  /** What was paid for an attempt counts when it is made anew: then budgets know of it. */
  private takeUnspent(): Spent[] {
    const isDue = ({ position, again }: Spent): boolean =>
      again !== true || spending.of(this.bridge).isHeld(position);
    const due = this.unspent.filter(isDue);
    if (due.length > 0) this.unspent.splice(0, Infinity, ...this.unspent.filter((each) => !isDue(each)));
    return due;
  }

  /** It was paid for, though its branch is gone. */
  private dropped({ position, outcome }: Pick<Settled, 'position' | 'outcome'>): void {
    const spent = spending.of(this.bridge).unwanted(position, outcome);
    if (spent !== null) this.spend(spent);
  }

  private answer(checkpoint: Checkpoint): void {
    const { position, outcome, at } = checkpoint;
    this.asked.close(position);
    this.clock = Math.max(this.clock, at);
    this.bridge.meter.effectSettled();
    spending.of(this.bridge).settle(checkpoint);
    const request = this.scheduler.awaited.pending.get(position);
    if (request !== undefined)
      noteAnswered(this.scheduler.awaited.scopeAt(position)?.attempted, request, outcome);
    this.scheduler.settle(position, outcome);
  }

  private onAsk(request: EffectRequest, { attempted }: Scope): void {
    if (this.isLoading) assertDeclaresOnly(request, this.bridge.run.code !== null);
    this.asked.ask(request, this.clock, this.log);
    noteAsked(attempted, request);
  }
}
