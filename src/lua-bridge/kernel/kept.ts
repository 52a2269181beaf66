import { getOwn, jsonAs, type JsonValue } from '../../contract/json/json.js';
import { currentFrame, type Branching } from '../scheduler/task.js';
import type { LuaState } from '../vm/fengari.js';
import type { Bridge } from './bridge.js';

/** How what a room keeps stands in a snapshot, and is made of it again. */
export interface SnapshotPart<T> {
  /** Its key in `Snapshot.rooms`. */
  name: string;
  take(kept: T, bridge: Bridge): JsonValue;
  /** @param kept as it is when the frame of the snapshot begins */
  put(kept: T, taken: JsonValue, bridge: Bridge): void;
  /** Another number after each change: for what is too large to be taken only to see whether it has changed. */
  stamp?(kept: T): number;
}

/** Of a map whose values are JSON. */
export function mapPart<V>(name: string): SnapshotPart<Map<string, V>> {
  return {
    name,
    take: (kept) => JSON.parse(JSON.stringify([...kept])) as JsonValue,
    put: (kept, taken) => {
      kept.clear();
      for (const [key, value] of jsonAs<[string, V][]>(taken)) kept.set(key, value);
    },
  };
}

/** Of an object whose fields are JSON. */
export function fieldsPart<T extends object>(name: string): SnapshotPart<T> {
  return {
    name,
    take: (kept) => JSON.parse(JSON.stringify(kept)) as JsonValue,
    put: (kept, taken) => void Object.assign(kept, taken),
  };
}

/**
 * How a snapshot has what a room keeps: by a part of its own, or not at all. `declared`: nothing but declarations changes it,
 * and no snapshot is taken of a frame that declares something. `elsewhere`: the snapshot has it under another name.
 */
export type Lasting<T> = SnapshotPart<T> | 'declared' | 'elsewhere';

/** What a room keeps, in the thread of a branch. */
interface KeptPart {
  name: string;
  take: (bridge: Bridge, L: LuaState) => JsonValue;
  put: (bridge: Bridge, L: LuaState, taken: JsonValue) => void;
  /** null: it has none. */
  stamp: (bridge: Bridge, L: LuaState) => number | null;
}

/** Of all rooms. Filled while the modules load, and never changed after that. */
const parts: KeptPart[] = [];

/** What is kept for the scope that a thread is in: `of` finds it there. */
export function addPart<T>(part: SnapshotPart<T>, of: (bridge: Bridge, L: LuaState) => T): void {
  parts.push({
    name: part.name,
    take: (bridge, L) => part.take(of(bridge, L), bridge),
    put: (bridge, L, taken) => part.put(of(bridge, L), taken, bridge),
    stamp: (bridge, L) => part.stamp?.(of(bridge, L)) ?? null,
  });
}

/**
 * What rooms keep, for a snapshot.
 * @param L a thread of the branch that it is taken in
 * @param known stamps: what still has its own is left out
 */
export function takeParts(
  bridge: Bridge,
  L: LuaState,
  known: ReadonlyMap<string, number> = new Map(),
): Record<string, JsonValue> {
  const wanted = parts.filter(({ name, stamp }) => !known.has(name) || known.get(name) !== stamp(bridge, L));
  return Object.fromEntries(wanted.map(({ name, take }) => [name, take(bridge, L)]));
}

/** Stamps of what rooms keep and that has one, by the names of the parts. */
export function stampsOfParts(bridge: Bridge, L: LuaState): Map<string, number> {
  const stamps = parts.map(({ name, stamp }) => [name, stamp(bridge, L)] as const);
  return new Map(stamps.flatMap(([name, stamp]) => (stamp === null ? [] : [[name, stamp] as const])));
}

/** Gives rooms what they kept when the snapshot was taken. */
export function putParts(bridge: Bridge, L: LuaState, taken: Record<string, JsonValue>): void {
  for (const { name, put } of parts) {
    const kept = getOwn(taken, name);
    if (kept !== undefined) put(bridge, L, kept);
  }
}

/**
 * What a room keeps for each run: made when the run first asks for it, so that what a procedure doesn't use takes no
 * memory. The key is the object itself; the values are the run's.
 */
export class PerRun<T extends object> {
  constructor(
    private readonly make: (bridge: Bridge) => T,
    lasting: Lasting<T>,
  ) {
    if (typeof lasting === 'object') addPart(lasting, (bridge) => this.of(bridge));
  }

  of(bridge: Bridge): T {
    const known = bridge.kept.get(this) as T | undefined;
    if (known !== undefined) return known;
    const made = this.make(bridge);
    bridge.kept.set(this, made);
    return made;
  }
}

/**
 * What a room keeps for each branch of a run: a branch of `Parallel` begins with that of whoever asked for the branches,
 * as it was then. Made when it is first asked for, as in `PerRun`.
 */
export class PerBranch<T extends Branching> {
  constructor(
    private readonly make: (bridge: Bridge) => T,
    lasting: SnapshotPart<T>,
  ) {
    addPart(lasting, (bridge, L) => this.of(bridge, L));
  }

  /** @param L a thread of the branch */
  of(bridge: Bridge, L: LuaState): T {
    const { kept } = currentFrame(L).scope;
    const known = kept.get(this) as T | undefined;
    if (known !== undefined) return known;
    const made = this.make(bridge);
    kept.set(this, made);
    return made;
  }
}

const declarationBytes = 2_000;
const declarationCost = 500;

/** Declarations of one kind that a file has made, at its top level or while it runs, in order. */
export class DeclaredList<T> extends PerRun<T[]> {
  /** @param isForTests they are noted for tests, and do nothing in a run */
  constructor(readonly isForTests = false) {
    super(() => [], 'declared');
  }

  /**
   * What is declared is kept until the run ends, and counts as its memory.
   * @param isImplied nobody has written it: it is made when something needs it first, and made again where it is not there
   */
  add(bridge: Bridge, declared: T, isImplied = false): void {
    if (isImplied) implied.of(bridge).count++;
    bridge.meter.keep(declarationBytes);
    bridge.meter.charge(declarationCost);
    this.of(bridge).push(declared);
  }
}

/** How much of what is declared nobody has written. */
const implied = new PerRun(() => ({ count: 0 }), 'declared');

/** How much a file itself has declared so far, of all kinds but those for tests. */
export function countWritten(bridge: Bridge): number {
  return countDeclared(bridge, null) - implied.of(bridge).count;
}

/** How much a file has declared so far, of all kinds but one and those for tests. */
export function countDeclared(bridge: Bridge, but: DeclaredList<unknown> | null): number {
  let count = 0;
  for (const [key, kept] of bridge.kept)
    if (key instanceof DeclaredList && key !== but && !key.isForTests) count += (kept as unknown[]).length;
  return count;
}
