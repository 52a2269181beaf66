import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  setHandler,
  sleep,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  budgetHolder,
  heldByPeople,
  holdsMemo,
  holdsWorkflowId,
  holdView,
  mostHolds,
  readHeldSignal,
  readHoldChange,
  type HeldSignal,
  type Hold,
  type HoldChange,
  type HoldsRecord,
  type HoldView,
  type ReleasedSignal,
} from '../../contract/changes/hold.js';
import { TactusError } from '../../contract/errors.js';
import { signalNames, updateNames } from '../../contract/names.js';
import { HoldWaiters, type Waiter } from './hold-waiters.js';

/** What the workflow hands to itself; nothing when it begins. */
interface HoldsState {
  holds?: Hold[];
  /** By the ids of holds, those that have waited for longest first. Calls of a hold that is there no more are yet to be let go. */
  waiters?: Record<string, Waiter[]>;
  /** Ids of the last orders: one that is sent again in the next execution is done already. */
  done?: string[];
}

/** A hold has let go these calls of a run. */
interface Due {
  hold: string;
  waiter: Waiter;
}

const changeUpdate = defineUpdate<HoldView[], [HoldChange]>(updateNames.hold);
const heldSignal = defineSignal<[unknown]>(signalNames.held);
const releasedSignal = defineSignal<[ReleasedSignal]>(signalNames.released);

/** Orders of one execution: the server takes 2,000 Updates in all. */
const mostOrders = 200;
const rememberedOrders = 20;
/** So many calls are let go at once. */
const toldAtOnce = 100;
/** The longest timer: an end that is further away is looked at then. In ms. */
const longestMs = 30 * 86_400_000;

/**
 * Keeps the holds of a namespace, and who waits for them. The holds stand in its memo, which workers read without asking a worker.
 *
 * Owns: the holds, and the calls that are due.
 * Asks: HoldWaiters who waits; runs to begin calls, by the signal `tactus_released`.
 * Invariants:
 *  1. An order is done once, and whole: the memo changes in the task that answers it.
 *  2. A call that waits for a hold that is there no more is let go at once. So it doesn't matter in which order a release and a call that
 *     has just been held arrive.
 *  3. With a rate, so many calls are let go each second, and the hold is there until none waits.
 *  4. A release of any size is told over as many executions as it takes, each within the bound of a history.
 *  5. A run that isn't known here, or wasn't told, tells it again.
 */
export async function tactusHolds(given: unknown): Promise<void> {
  if (workflowInfo().workflowId !== holdsWorkflowId)
    throw ApplicationFailure.nonRetryable(`Its id must be ${holdsWorkflowId}`, 'usage');
  await new HoldsRegistry(given ?? {}).serve();
}

class HoldsRegistry {
  private holds: Hold[];
  private readonly waiters: HoldWaiters;
  /** Calls that may begin, beside all that wait for a hold that is there no more. Their runs haven't been told. */
  private readonly due: Due[] = [];
  private done: string[];
  private orders = 0;
  /** The memo is to be written. */
  private isChanged = false;
  /** Somebody is to be told, or a timer to be set. */
  private isWoken = false;
  /** Holds whose release goes on by a timer. */
  private readonly paced = new Set<string>();

  constructor({ holds = [], waiters = {}, done = [] }: HoldsState) {
    this.holds = holds;
    this.waiters = new HoldWaiters(waiters);
    this.done = done;
  }

  async serve(): Promise<void> {
    setHandler(changeUpdate, (change) => this.order(readHoldChange(change)), {
      validator: (change) => this.refuse(change),
      description:
        'Adds or releases a hold: {"kind": "add" | "release", "target", "reason", "by", "until", "rate"}',
    });
    setHandler(heldSignal, (told) => {
      const read = readHeldSignal(told);
      if (read !== null) this.hear(read);
    });
    for (;;) {
      this.expire();
      for (const hold of this.holds) if (hold.rate !== undefined) this.pace(hold);
      this.isWoken = false;
      if (this.isChanged) this.show();
      await this.tell();
      if (this.isLong && allHandlersFinished() && this.due.length === 0) break;
      await this.wake();
    }
    const goOn = makeContinueAsNewFunc<typeof tactusHolds>({ memo: { [holdsMemo]: this.record } });
    await goOn(this.state);
  }

  private get isLong(): boolean {
    return this.orders >= mostOrders || workflowInfo().continueAsNewSuggested;
  }

  /** Waits until there is something to do. */
  private async wake(): Promise<void> {
    const isWoken = (): boolean => this.isWoken || this.isChanged || this.hasDue;
    const endMs = this.nextEndMs();
    await (endMs === null ? condition(isWoken) : condition(isWoken, endMs));
  }

  private get state(): HoldsState {
    return { holds: this.holds, waiters: this.waiters.byHold, done: this.done };
  }

  private get record(): HoldsRecord {
    return { holds: this.holds.map((hold) => ({ ...hold, waiting: this.waiters.waiting(hold.id) })) };
  }

  private show(): void {
    this.isChanged = false;
    upsertMemo({ [holdsMemo]: this.record });
  }

  /** Refuses what is no order, from whatever client, with nothing in history. */
  private refuse(given: unknown): void {
    try {
      const change = readHoldChange(given);
      const { kind, target } = change;
      // Sent again, it is done already.
      if (this.done.includes(currentUpdateInfo()?.id ?? '')) return;
      const known = this.holds.find((hold) => hold.target === target);
      if (kind === 'release' && known === undefined)
        throw new TactusError('change_refused', `${target} is not held`);
      const until = 'until' in change ? change.until : null;
      if (until !== null && until <= Date.now())
        throw new TactusError('usage', 'The hold would end in the past');
      const most = 'by' in change && change.by === budgetHolder ? mostHolds - heldByPeople : mostHolds;
      if (kind === 'add' && known === undefined && this.holds.length >= most)
        throw new TactusError('change_refused', `There are ${most} holds, which is the most: release one`);
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      throw ApplicationFailure.nonRetryable(error.message, error.code, error.details);
    }
  }

  private order(change: HoldChange): HoldView[] {
    const id = currentUpdateInfo()?.id ?? '';
    if (!this.done.includes(id)) {
      this.orders++;
      this.done = [...this.done, id].slice(-rememberedOrders);
      if (change.kind === 'add') this.add(change);
      else this.release(change);
      this.show();
      this.isWoken = true;
    }
    return this.record.holds.map((hold) => holdView(hold, hold.waiting));
  }

  private add({ target, reason, by, until }: Extract<HoldChange, { kind: 'add' }>): void {
    const known = this.holds.find((hold) => hold.target === target);
    // Somebody has held the tenant meanwhile, for as long or for longer.
    const isLonger = known !== undefined && (known.until === null || known.until >= (until ?? Infinity));
    if (by === budgetHolder && isLonger) return;
    const { id, since } = known ?? { id: uuid4(), since: Date.now() };
    const hold: Hold = { id, target, reason, by, since, until };
    this.holds =
      known === undefined ? [...this.holds, hold] : this.holds.map((each) => (each === known ? hold : each));
  }

  private release({ target, rate }: Extract<HoldChange, { kind: 'release' }>): void {
    for (const hold of this.holds.filter((each) => each.target === target)) {
      if (rate === null || this.waiters.waiting(hold.id) === 0) this.end(hold);
      else this.holds = this.holds.map((each) => (each === hold ? { ...hold, rate } : each));
    }
  }

  /** All that wait for it may begin. */
  private end(hold: Hold): void {
    this.holds = this.holds.filter(({ id }) => id !== hold.id);
    this.isChanged = true;
  }

  private expire(): void {
    for (const hold of this.holds) if (hold.until !== null && hold.until <= Date.now()) this.end(hold);
  }

  /** null: no hold ends by itself. */
  private nextEndMs(): number | null {
    const ends = this.holds.flatMap(({ until }) => (until === null ? [] : [until - Date.now()]));
    return ends.length === 0 ? null : Math.max(1, Math.min(longestMs, ...ends));
  }

  /** Lets so many calls go each second, until none waits or somebody has ordered something else. */
  private pace({ id }: Hold): void {
    if (this.paced.has(id)) return;
    this.paced.add(id);
    void this.letGoBySeconds(id).finally(() => this.paced.delete(id));
  }

  /** The pause comes first: where the workflow continues as new, nothing goes sooner for that. */
  private async letGoBySeconds(id: string): Promise<void> {
    for (let hold = this.find(id); hold?.rate !== undefined; hold = this.find(id)) {
      const { target, rate } = hold;
      await sleep(Math.max(1_000, 1_000 / rate), { summary: `${target}: ${rate} each second` });
      if (this.find(id)?.rate === undefined) return;
      for (const waiter of this.waiters.take(id, Math.max(1, Math.floor(rate))))
        this.due.push({ hold: id, waiter });
      this.isChanged = true;
      if (this.waiters.waiting(id) === 0) this.end(hold);
    }
  }

  private find(id: string): Hold | undefined {
    return this.holds.find((hold) => hold.id === id);
  }

  private hear({ run, waits, gone }: HeldSignal): void {
    this.waiters.leave(run, gone);
    for (const { hold, positions } of waits)
      if (this.find(hold) !== undefined) this.waiters.wait(hold, run, positions);
      else this.due.push({ hold, waiter: { run, positions } });
    this.isChanged = true;
  }

  /** Tells runs that calls of theirs may begin. A run that has ended needs to know nothing. */
  private async tell(): Promise<void> {
    while (this.hasDue) {
      const some = this.nextDue();
      const told = some.map(({ hold, waiter: { run, positions } }) =>
        getExternalWorkflowHandle(run)
          .signal(releasedSignal, { hold, positions })
          .catch(() => undefined),
      );
      await Promise.all(told);
      if (this.isLong && this.due.length === 0) return;
    }
  }

  private get hasDue(): boolean {
    return this.due.length > 0 || this.waiters.holds.some((hold) => this.find(hold) === undefined);
  }

  private nextDue(): Due[] {
    const some = this.due.splice(0, toldAtOnce);
    for (const hold of this.waiters.holds)
      if (some.length < toldAtOnce && this.find(hold) === undefined)
        some.push(...this.waiters.take(hold, toldAtOnce - some.length).map((waiter) => ({ hold, waiter })));
    return some;
  }
}
