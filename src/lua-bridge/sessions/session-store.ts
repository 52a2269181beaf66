import { TactusError } from '../../contract/errors.js';
import { asJson, jsonSize, type JsonValue } from '../../contract/json/json.js';
import { asPlan, type Plan } from '../../contract/sessions/plan.js';
import {
  isSameReducer,
  planSlice,
  type Reducer,
  type SessionContent,
  type SliceContent,
} from '../../contract/sessions/session-content.js';
import {
  mostSnapshots,
  type SessionView,
  type SnapshotEntry,
  type SnapshotList,
} from '../../contract/sessions/session-view.js';
import type { Bridge } from '../kernel/index.js';
import { isSameList, reduced, reducerText, sizeOf, type Item, type Slice } from './slice-items.js';

/** What each item costs to look at, in instructions. */
const itemCost = 10;

/**
 * The session of a run: slices of JSON values, one of which is the plan.
 *
 * Owns: the values. Lua gets copies, and gives copies.
 * Asks: nobody. Whoever appends by a function of Lua's runs it, and gives what comes of it.
 * Invariants:
 *  1. A change is made as a whole or not at all.
 *  2. Items and bytes have a limit; the bytes count as memory of the run.
 *  3. The same calls in the same order make the same session: a replay makes it again.
 */
export class SessionStore {
  private readonly slices = new Map<string, Slice>();
  /** Told of each slice that may be about to change, and can look at what it holds; null: nobody wants to know. */
  onChange: ((name: string, items: () => JsonValue[]) => void) | null = null;
  private snapshots: SnapshotList = { made: 0, failed: 0, newest: [] };
  private items = 0;
  private bytes = 0;

  /** Items of each slice, and bytes in all, when it was begun apart from `whole`. */
  private begun: { slices: Map<string, readonly Item[]>; bytes: number } = { slices: new Map(), bytes: 0 };

  /** @param whole the session that this one was begun apart from; null: it is that of the run */
  constructor(
    private readonly bridge: Pick<Bridge, 'limits' | 'meter'>,
    private readonly whole: SessionStore | null = null,
  ) {
    this.add(planSlice, { kind: 'replace_latest' }, true);
  }

  /**
   * Declares a slice, or finds it.
   * @param reducer null: it has the one that it has
   * @throws TactusError lua_error where it has another one
   */
  declare(name: string, reducer: Reducer | null, body: number | null): void {
    this.whole?.declare(name, reducer, body);
    const known = this.slices.get(name);
    if (known === undefined) {
      this.add(name, reducer ?? { kind: 'append_all' }, reducer !== null, body);
      return;
    }
    if (reducer === null) return;
    if (known.isDeclared && known.reducer.kind !== 'function' && !isSameReducer(known.reducer, reducer))
      throw new TactusError(
        'lua_error',
        `Session.slice: ${name} has the reducer ${reducerText(known.reducer)} already; it can't be ${reducerText(reducer)} as well`,
      );
    Object.assign(known, { reducer, body, isDeclared: true });
  }

  has(name: string): boolean {
    return this.slices.has(name);
  }

  all(name: string): JsonValue[] {
    return this.slice(name).items.map(({ value }) => value);
  }

  latest(name: string): JsonValue {
    return this.slice(name).items.at(-1)?.value ?? null;
  }

  /**
   * The function of a slice's reducer; null: it is one of ours.
   * @throws TactusError lua_error where it came without its function, and the file hasn't named it yet
   */
  functionOf(name: string): number | null {
    const { reducer, body } = this.slice(name);
    if (reducer.kind === 'function' && body === null)
      throw new TactusError(
        'lua_error',
        `Session.slice: the reducer of ${name} is a function: name it again, by Session.slice(${JSON.stringify(name)}, { reducer = … })`,
      );
    return body;
  }

  /**
   * Appends by the slice's own reducer.
   * @throws TactusError lua_error, payload_too_large
   */
  append(name: string, value: JsonValue): void {
    const slice = this.slice(name);
    const { items, reducer } = slice;
    const added = this.sized(value);
    if (reducer.kind === 'append_all') {
      this.count({ items: 1, bytes: added.bytes }, name);
      this.tellOf(name, items);
      items.push(added);
      return;
    }
    this.bridge.meter.charge(items.length * itemCost);
    this.replace(name, slice, reduced(name, items, reducer, added));
  }

  /** @throws TactusError payload_too_large */
  seed(name: string, values: readonly JsonValue[]): void {
    const slice = this.slice(name);
    const known = new Map(slice.items.map((item) => [item.value, item]));
    this.replace(
      name,
      slice,
      values.map((value) => known.get(value) ?? this.sized(value)),
    );
  }

  reset(): void {
    this.restore([]);
  }

  /**
   * Puts these items into their slices, and empties all others.
   * @throws TactusError payload_too_large, and then nothing has changed
   */
  restore(slices: readonly Pick<SliceContent, 'name' | 'items' | 'type'>[]): void {
    const found = new Map(
      slices.map(({ name, items, type }) => [name, { items: items.map((each) => this.sized(each)), type }]),
    );
    const all = [...found.values()].flatMap(({ items }) => items);
    this.count({ items: all.length - this.items, bytes: sizeOf(all) - this.bytes }, 'the session');
    for (const [name, slice] of this.slices) {
      const { items = [], type } = found.get(name) ?? {};
      this.tellOf(name, slice.items);
      slice.items = items;
      if (type !== undefined) slice.type = type;
    }
  }

  get plan(): Plan | null {
    return asPlan(this.latest(planSlice));
  }

  /** @throws TactusError payload_too_large */
  set plan(plan: Plan | null) {
    this.seed(planSlice, plan === null ? [] : [asJson(plan)]);
  }

  get content(): SessionContent {
    const slices = [...this.slices].map(([name, { reducer, items, type }]) => ({
      name,
      reducer,
      items: items.map(({ value }) => value),
      ...(type === null ? {} : { type }),
    }));
    const { made, failed } = this.snapshots;
    return {
      slices: slices.filter(({ name, items }) => name !== planSlice || items.length > 0),
      ...(made + failed === 0 ? {} : { snapshots: this.snapshots }),
    };
  }

  /** What the next pass goes on with. */
  get kept(): { session?: SessionContent } {
    const { content } = this;
    const isEmpty =
      content.snapshots === undefined && content.slices.every(({ items }) => items.length === 0);
    return isEmpty ? {} : { session: content };
  }

  /** Takes the place of all that there is. What the file has declared stays declared. */
  set content({ slices, snapshots = this.snapshots }: SessionContent) {
    for (const { name, reducer } of slices) if (!this.slices.has(name)) this.add(name, reducer, false);
    const { onChange } = this;
    // Nothing changes: what was there before is there again.
    this.onChange = null;
    this.restore(slices);
    Object.assign(this, { onChange, snapshots });
  }

  keepSnapshot(entry: SnapshotEntry): void {
    if (this.whole !== null) return this.whole.keepSnapshot(entry);
    const { made, failed, newest } = this.snapshots;
    const isMade = entry.error === null;
    this.bridge.meter.charge(itemCost);
    this.snapshots = {
      made: made + (isMade ? 1 : 0),
      failed: failed + (isMade ? 0 : 1),
      newest: [...newest.slice(1 - mostSnapshots), entry],
    };
  }

  /** A session that is changed apart from this one. What it declares is declared here, too. */
  apart(): SessionStore {
    const copy = new SessionStore(this.bridge, this);
    for (const [name, slice] of this.slices) copy.slices.set(name, { ...slice, items: [...slice.items] });
    this.bridge.meter.charge(this.items * itemCost);
    copy.items = this.items;
    copy.bytes = this.bytes;
    const begun = [...this.slices].map(([name, { items }]) => [name, [...items]] as const);
    copy.begun = { slices: new Map(begun), bytes: this.bytes };
    return copy;
  }

  /**
   * Ends one that was begun apart from this, and takes over what has changed in it. What others have done here meanwhile stays.
   * @throws TactusError payload_too_large
   */
  join(copy: SessionStore, isKept: boolean): void {
    const { meter } = this.bridge;
    const more = copy.bytes - copy.begun.bytes;
    if (more > 0) meter.release(more);
    else meter.keep(-more);
    if (!isKept) return;
    for (const [name, { items, type }] of copy.slices) {
      const begun = copy.begun.slices.get(name) ?? [];
      if (isSameList(items, begun)) continue;
      const own = this.slice(name);
      const before = new Set(begun);
      const after = new Set(items);
      const others = own.items.filter((item) => !before.has(item) || after.has(item));
      const added = items.filter((item) => !before.has(item));
      this.replace(name, own, isSameList(own.items, begun) ? [...items] : [...others, ...added]);
      own.type = type;
    }
  }

  /** The session for who looks at the run: it costs the run nothing. */
  get view(): SessionView {
    const { made, failed, newest } = this.snapshots;
    const slices = [...this.slices].filter(([name]) => name !== planSlice);
    const types = slices.flatMap(([name, { type }]) => (type === null ? [] : [[name, type] as const]));
    return {
      plan: this.plan,
      slices: Object.fromEntries(slices.map(([name, { items }]) => [name, items.map(({ value }) => value)])),
      ...(types.length === 0 ? {} : { types: Object.fromEntries(types) }),
      snapshots: newest,
      snapshots_made: made,
      snapshots_failed: failed,
    };
  }

  private add(name: string, reducer: Reducer, isDeclared: boolean, body: number | null = null): void {
    this.slices.set(name, { reducer, body, items: [], type: null, isDeclared });
  }

  private slice(name: string): Slice {
    const found = this.slices.get(name);
    if (found === undefined) throw new Error(`no slice ${name}`);
    return found;
  }

  private sized(value: JsonValue): Item {
    const bytes = jsonSize(value);
    this.bridge.meter.charge(bytes >> 1);
    return { value, bytes };
  }

  private replace(name: string, slice: Slice, items: Item[]): void {
    this.bridge.meter.charge((items.length + slice.items.length) * itemCost);
    const more = { items: items.length - slice.items.length, bytes: sizeOf(items) - sizeOf(slice.items) };
    this.count(more, name);
    this.tellOf(name, slice.items);
    slice.items = items;
  }

  private tellOf(name: string, items: readonly Item[]): void {
    this.onChange?.(name, () => items.map(({ value }) => value));
  }

  /** Counts what is added, or taken away. */
  private count({ items, bytes }: { items: number; bytes: number }, what: string): void {
    const { sessionItems, sessionBytes } = this.bridge.limits;
    if (items > 0 && this.items + items > sessionItems) throw tooMuch(what, `${sessionItems} items`);
    if (bytes > 0 && this.bytes + bytes > sessionBytes) throw tooMuch(what, `${sessionBytes} bytes`);
    if (bytes > 0) this.bridge.meter.keep(bytes);
    else this.bridge.meter.release(-bytes);
    this.items += items;
    this.bytes += bytes;
  }
}

function tooMuch(what: string, most: string): TactusError {
  return new TactusError(
    'payload_too_large',
    `Session: ${what} can't grow: a session holds at most ${most} in all of its slices. Clear what is done, or keep it in a file and its name here`,
  );
}
