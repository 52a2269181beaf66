import { CancellationScope, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import type { Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import type { RunLook } from '../../contract/runs/child-run.js';
import type { Sequence } from '../sequence.js';

/** What of a run waits for the ends of its children. */
export class ChildWaits {
  /** Who waits for the end of the child at a position. */
  private readonly waiters = new Map<Position, (outcome: Outcome) => void>();
  /** Who waits for children of several ids, by the position of the wait. */
  private readonly checks = new Map<Position, () => void>();
  private readonly expected = new Map<Position, readonly string[]>();

  onEnd(position: Position, told: (outcome: Outcome) => void): void {
    this.waiters.set(position, told);
  }

  /** `check` is called whenever a child has ended. */
  onAnyEnd(waiting: Position, check: () => void): void {
    this.checks.set(waiting, check);
  }

  expect(waiting: Position, ids: readonly string[]): void {
    this.expected.set(waiting, ids);
  }

  expectNoMore(waiting: Position): void {
    this.expected.delete(waiting);
    this.checks.delete(waiting);
  }

  isExpected(id: string): boolean {
    return [...this.expected.values()].some((ids) => ids.includes(id));
  }

  /** Nobody waits any longer for the end of the child at a position. */
  drop(position: Position): void {
    this.waiters.delete(position);
  }

  ended(position: Position, outcome: Outcome): void {
    const waiter = this.waiters.get(position);
    this.waiters.delete(position);
    waiter?.(outcome);
    for (const check of [...this.checks.values()]) check();
  }
}

/** Places with the server for children that this execution has started, and that haven't ended. */
export class StartPlaces {
  private taken = 0;
  /** Those that the server has no room for yet, by position: the next execution has. */
  private readonly delayed = new Map<Position, () => void>();
  private beginsLate = false;

  constructor(private readonly most: number) {}

  /** Takes a place for a child; false where there is none: `begin` is called, at the earliest, when one is free. */
  take(position: Position, begin: () => void): boolean {
    if (this.taken >= this.most) {
      this.delayed.set(position, begin);
      return false;
    }
    this.taken++;
    return true;
  }

  free(): void {
    this.taken--;
    const [next] = this.delayed;
    if (next === undefined || !this.beginsLate) return;
    const [position, begin] = next;
    this.delayed.delete(position);
    begin();
  }

  /** The child at a position is wanted no longer. */
  drop(position: Position): void {
    this.delayed.delete(position);
  }

  /** This execution has started children that the next has to look at. */
  get areTaken(): boolean {
    return this.taken > 0;
  }

  /** Some can't be started by this execution: others would have to end first. */
  get isFull(): boolean {
    return this.delayed.size > 0;
  }

  /** No other execution can take over for now: what waits begins as soon as a place is free. */
  beginLate(): void {
    this.beginsLate = true;
  }
}

/** Between two looks at a child that was given up, in ms: the first time, and at most. */
const firstLookMs = 500;
const longestLookMs = 60_000;

/** Children that were cancelled, and nobody waits for. They have yet to tell what they used, and another one at the same place begins after them. */
export class GivenUpChildren {
  private readonly unheard: Set<Position>;
  private readonly known = new Map<Position, { execution: string; looks: number }>();

  constructor(carried: readonly Position[]) {
    this.unheard = new Set(carried);
  }

  add(position: Position): void {
    this.unheard.add(position);
  }

  /** One reports; false where it is none of them. */
  hear(position: Position, execution: string | undefined): boolean {
    if (execution !== undefined && this.unheard.has(position)) this.note(position, execution);
    return this.unheard.delete(position);
  }

  /** All have told what they used. */
  get haveReported(): boolean {
    return this.unheard.size === 0;
  }

  /** For another execution. */
  carried(): { cancelledChildren?: Position[] } {
    return this.haveReported ? {} : { cancelledChildren: [...this.unheard] };
  }

  /** Whether what was found at a place is one of them. */
  isOne(position: Position, { firstExecution, isClosed }: RunLook): boolean {
    if (firstExecution === undefined || isClosed === true) return false;
    if (this.unheard.has(position)) this.note(position, firstExecution);
    return this.known.get(position)?.execution === firstExecution;
  }

  /** Time to let it end. */
  time(position: Position): Promise<void> {
    const ending = this.known.get(position);
    const ms = Math.min(longestLookMs, firstLookMs * 2 ** (ending?.looks ?? 0));
    if (ending !== undefined) ending.looks++;
    return sleep(ms, { summary: 'for the end of a child run that was given up' });
  }

  private note(position: Position, execution: string): void {
    if (this.known.get(position)?.execution !== execution) this.known.set(position, { execution, looks: 0 });
  }
}

/** Requests to cancel children, so many at once at most. */
export class CancelRequests {
  /** Those of which the server's word has not had its turn. */
  private unheard = 0;
  private readonly underWay = new Set<Promise<void>>();
  private readonly asking: AtMost;

  constructor(
    private readonly sequence: Sequence,
    most: number,
  ) {
    this.asking = new AtMost(most);
  }

  get areUnheard(): boolean {
    return this.unheard > 0;
  }

  get isEmpty(): boolean {
    return this.underWay.size === 0;
  }

  /** Asks a child to end; `done` has its turn when the server has been told. */
  request(id: string, done: () => void = () => undefined): void {
    this.unheard++;
    const heard = (): void => {
      this.unheard--;
      done();
    };
    this.sequence.follow(this.send(id), heard, heard);
  }

  /** It may have closed already: nothing is left to cancel then. */
  send(id: string): Promise<void> {
    const request = this.asking
      .run(() => CancellationScope.nonCancellable(() => getExternalWorkflowHandle(id).cancel()))
      .catch(() => undefined);
    this.underWay.add(request);
    return request.finally(() => this.underWay.delete(request));
  }

  /** Waits until the server has been told of all. */
  allSent(): Promise<unknown> {
    return Promise.all(this.underWay);
  }
}

/** Work of which so much may be under way at once; what is more waits in a row. */
export class AtMost {
  private underWay = 0;
  private readonly row: (() => void)[] = [];

  constructor(private readonly most: number) {}

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay < this.most) return this.begin(work);
    return new Promise((resolve, reject) => {
      this.row.push(() => void this.begin(work).then(resolve, reject));
    });
  }

  private begin<T>(work: () => Promise<T>): Promise<T> {
    this.underWay++;
    const over = (): void => {
      this.underWay--;
      this.row.shift()?.();
    };
    const begun = work();
    begun.then(over, over);
    return begun;
  }
}
