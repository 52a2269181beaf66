import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import {
  holdsWorkflowId,
  holdView,
  readReleasedSignal,
  tenantOf,
  tenantTarget,
  type HeldSignal,
  type Hold,
  type HoldTerms,
  type HoldView,
  type ReleasedSignal,
} from '../../contract/changes/hold.js';
import type { Holds } from '../../contract/engine.js';
import { defined } from '../../contract/json/json.js';
import { signalNames } from '../../contract/names.js';
import type { Sequence } from '../sequence.js';

const heldSignal = defineSignal<[HeldSignal]>(signalNames.held);
const releasedSignal = defineSignal<[unknown]>(signalNames.released);

/** A message may be lost: a run that hears nothing tells again who waits, at first after this time, in ms. */
const firstLookMs = 60_000;
const longestLookMs = 3_600_000;
/** A hold that ends by itself has been released by then. */
const afterEndMs = 5_000;
/** So many waits are told in one message. */
const mostTold = 500;
/** A call may be held by several targets, one after the other. */
const mostReleased = 20;

export interface HoldingOptions {
  runId: string;
  sequence: Sequence;
  now: () => number;
  holds: Holds;
}

interface Waiting {
  hold: Hold;
  /** It may begin. */
  begin: () => void;
}

/**
 * What of a run waits for a hold: calls that a worker has found to be held, and the run itself, where it was started so.
 *
 * Owns: which positions wait for which hold, and which holds have let them go.
 * Asks: the workflow of holds, by signals, to let them go; whoever waits to begin.
 * Invariants:
 *  1. The run tells the workflow of holds who waits, after it knows it itself. So a release that comes early is no release that is lost.
 *  2. One message is under way at a time, and what waits meanwhile is in the next one.
 *  3. What waits is told again, ever more rarely. Where there is no workflow of holds, nothing is held.
 *  4. Nothing is handed over: another execution asks for each call anew.
 */
export class Holding {
  private readonly waiting = new Map<Position, Waiting>();
  private readonly released = new Map<Position, Pick<HoldTerms, 'released' | 'isTenantReleased'>>();
  private untold: Position[] = [];
  private gone: Position[] = [];
  private isTelling = false;
  private looks = 0;
  private timer: CancellationScope | null = null;

  constructor(private readonly options: HoldingOptions) {
    if (!options.holds('holds')) return;
    setHandler(
      releasedSignal,
      (given) => {
        const read = readReleasedSignal(given);
        if (read !== null) options.sequence.add(() => this.release(read));
      },
      { description: 'What was held may begin: {hold, positions}' },
    );
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Nobody is to be told of the end of the run. */
  get isIdle(): boolean {
    return this.waiting.size + this.gone.length === 0;
  }

  has(position: Position): boolean {
    return this.waiting.has(position);
  }

  targetOf(position: Position): string | undefined {
    return this.waiting.get(position)?.hold.target;
  }

  /** By which holds the run waits, each with how many of its calls. */
  get views(): HoldView[] {
    const counts = new Map<string, { hold: Hold; count: number }>();
    for (const { hold } of this.waiting.values())
      counts.set(hold.id, { hold, count: (counts.get(hold.id)?.count ?? 0) + 1 });
    return [...counts.values()].map(({ hold, count }) => holdView(hold, count));
  }

  /** What the activity of a call is told; nothing where the run is of an engine without holds. */
  terms(position: Position, procedure: string): { holds?: HoldTerms } {
    if (!this.options.holds('holds')) return {};
    const released = this.released.get(position);
    const tenant = tenantOf(workflowInfo().priority);
    return { holds: { procedure, ...defined({ tenant }), ...released } };
  }

  /** A call is held, or the run before it has begun. `begin`: it may go on. */
  wait(position: Position, hold: Hold, begin: () => void): void {
    this.waiting.set(position, { hold, begin });
    this.untold.push(position);
    this.tell();
    this.lookLater();
  }

  /** Nobody waits for it any more, or it has its answer. */
  drop(position: Position): void {
    this.released.delete(position);
    if (!this.waiting.delete(position)) return;
    this.gone.push(position);
    this.tell();
    this.rest();
  }

  /** The run ends: nothing of it waits any more. */
  async end(): Promise<void> {
    const gone = [...this.gone, ...this.waiting.keys()];
    this.waiting.clear();
    this.rest();
    for (let from = 0; from < gone.length; from += mostTold)
      await this.send([], gone.slice(from, from + mostTold)).catch(() => undefined);
  }

  private release({ hold, positions }: ReleasedSignal): void {
    for (const position of positions) if (this.waiting.get(position)?.hold.id === hold) this.letGo(position);
    this.rest();
  }

  private letGo(position: Position): void {
    const waiting = this.waiting.get(position);
    if (waiting === undefined) return;
    this.waiting.delete(position);
    const { released = [], ...before } = this.released.get(position) ?? {};
    const { id, target, until } = waiting.hold;
    // One that has ended by itself has a new budget, which holds the call again.
    const isReleased = until === null || this.options.now() < until;
    this.released.set(position, {
      ...before,
      released: [...released, id].slice(-mostReleased),
      ...(isReleased && target.startsWith(tenantTarget) ? { isTenantReleased: true } : {}),
    });
    waiting.begin();
  }

  private tell(): void {
    const positions = this.untold.slice(0, mostTold);
    const gone = this.gone.slice(0, mostTold);
    if (this.isTelling || positions.length + gone.length === 0) return;
    this.untold = this.untold.slice(mostTold);
    this.gone = this.gone.slice(mostTold);
    this.isTelling = true;
    const told = (isHeard: boolean): void => {
      this.isTelling = false;
      // There is no workflow of holds any more.
      if (!isHeard) for (const position of positions) this.letGo(position);
      this.tell();
      this.rest();
    };
    this.options.sequence.follow(
      this.send(positions, gone),
      () => told(true),
      () => told(false),
    );
  }

  private send(positions: readonly Position[], gone: Position[]): Promise<void> {
    const waits = new Map<string, Position[]>();
    for (const position of positions) {
      const id = this.waiting.get(position)?.hold.id;
      if (id !== undefined) waits.set(id, [...(waits.get(id) ?? []), position]);
    }
    const { runId: run } = this.options;
    const told = { run, waits: [...waits].map(([hold, its]) => ({ hold, positions: its })), gone };
    return CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(holdsWorkflowId).signal(heldSignal, told),
    );
  }

  /** Tells all of it again when nothing was heard for long. */
  private lookLater(): void {
    if (this.timer !== null || this.waiting.size === 0) return;
    const scope = new CancellationScope({ cancellable: true });
    this.timer = scope;
    const ms = this.nextLookMs();
    const summary = `whether it is still held: ${this.views.map(({ target }) => target).join(', ')}`;
    this.options.sequence.follow(
      scope.run(() => sleep(ms, { summary: summary.slice(0, 400) })),
      () => {
        if (this.timer !== scope) return;
        this.timer = null;
        this.looks++;
        this.untold = [...this.waiting.keys()];
        this.tell();
        this.lookLater();
      },
      () => undefined,
    );
  }

  private nextLookMs(): number {
    const usual = Math.min(longestLookMs, firstLookMs * 2 ** Math.min(this.looks, 10));
    const ends = [...this.waiting.values()].flatMap(({ hold: { until } }) =>
      until === null ? [] : [until - this.options.now() + afterEndMs],
    );
    return Math.max(1_000, Math.min(usual, ...ends));
  }

  /** No timer is left where nothing waits. */
  private rest(): void {
    if (this.waiting.size > 0) return;
    this.timer?.cancel();
    this.timer = null;
    this.looks = 0;
  }
}
