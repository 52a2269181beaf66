import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import type { MeterUse } from '../../contract/checkpoints/snapshot.js';
import type { Holds } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import type { Limits } from '../../contract/runs/limits.js';
import {
  charge,
  entriesOf,
  isSuspendable,
  sizeOf,
  Table,
  type LuaState,
  type Meter,
  type TableEntry,
  type TValue,
} from './fengari.js';
import { traceback } from './traceback.js';
import type { JsonValue } from '../../contract/json/json.js';

const bytesPer = { value: 16, character: 2 } as const;

/** Memory that a JSON value takes, estimated. No value is too deep to be asked about. */
function heldBytes(value: JsonValue): number {
  const pending = [value];
  let bytes = 0;
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    bytes += bytesPer.value;
    if (typeof each === 'string') bytes += bytesPer.character * each.length;
    else if (Array.isArray(each)) for (const item of each) pending.push(item);
    else if (typeof each === 'object' && each !== null)
      for (const key of Object.keys(each)) {
        bytes += bytesPer.character * key.length;
        pending.push(each[key] ?? null);
      }
  }
  return bytes;
}

/** What a checkpoint takes beside its input and its outcome. */
const checkpointBytes = 800;

function checkpointSize({ input, outcome }: Checkpoint): number {
  return checkpointBytes + heldBytes(input) + heldBytes(outcome.ok ? outcome.value : outcome.message);
}

/**
 * Counts what a run uses, in instructions and bytes and never in wall time, so that a run that fails here fails
 * again at the same instruction on replay.
 *
 * Owns: the fuel and the limits of the Lua state, and the bytes that JavaScript keeps for the run.
 * Asks: nobody. The Lua state calls it when fuel or heap is used up.
 * Invariants:
 *  1. `used` never falls.
 *  2. What it throws is no Lua error: no `pcall` sees it.
 *  3. A slice ends only where the running thread can be suspended, or between two tasks. Elsewhere the overdraft bounds it.
 */
export class RunMeter implements Meter {
  /** The slice is used up; the running thread has yielded to the scheduler. */
  sliceEnded = false;
  private granted = 0;
  private usedBefore = 0;
  private usedAtEffect = 0;
  /** Bytes that JavaScript keeps for the run: printed lines, declarations, effects that it waits for. */
  private kept = 0;
  /** Those of the checkpoints that a log holds. */
  private held = 0;
  /** Instructions that a snapshot stands for: a replay doesn't run them. */
  private skipped = 0;

  constructor(
    private readonly state: LuaState,
    private readonly limits: Limits,
    private readonly holds: Holds,
  ) {
    const global = state.l_G;
    global.meter = this;
    global.weighs = holds('charge-by-size');
    global.conforms = holds('lua-conformance');
    global.powersOfOne = holds('powers-of-one');
    global.maxString = limits.stringBytes;
    global.heap = limits.memoryBytes / 2;
    global.fuel = 0;
    this.beginSlice();
  }

  /**
   * Whether a whole slice was used since it began. No thread may have noticed: what JavaScript does for Lua is charged, and suspends
   * nothing.
   */
  get isSliceUsed(): boolean {
    return this.granted - this.state.l_G.fuel > this.limits.sliceInstructions;
  }

  /** Instructions used since the start. */
  get used(): number {
    return this.usedBefore + this.granted - this.state.l_G.fuel;
  }

  /** Those of them that a replay runs. */
  get replayed(): number {
    return this.used - this.skipped;
  }

  /** What was used so far, for a snapshot. What the log holds is counted with the log. */
  handOver(): MeterUse {
    const { used, usedAtEffect, kept, state } = this;
    return { used, usedAtEffect, kept, heap: state.l_G.heap };
  }

  /** Goes on with what was used when a snapshot was taken. */
  goOnWith({ used, usedAtEffect, kept, heap }: MeterUse): void {
    this.skipped += used - this.used;
    this.usedBefore = used;
    this.granted = 0;
    this.state.l_G.fuel = 0;
    this.usedAtEffect = usedAtEffect;
    this.kept = kept;
    this.state.l_G.heap = heap;
    this.beginSlice();
  }

  beginSlice(): void {
    const { sliceInstructions, idleInstructions, totalInstructions, overdraftInstructions } = this.limits;
    const { used } = this;
    this.usedBefore = used;
    // To where the first of the budgets ends, so that each ends at its very instruction.
    this.granted = Math.min(
      sliceInstructions,
      this.usedAtEffect + idleInstructions - used,
      totalInstructions - used,
    );
    this.state.l_G.fuel = this.granted;
    this.state.l_G.fuelLimit = 0;
    this.state.l_G.fuelFloor = -overdraftInstructions;
    this.sliceEnded = false;
  }

  /** An effect was performed: the budget between two effects begins anew. */
  effectSettled(): void {
    this.usedAtEffect = this.used;
  }

  /** Charges work that JavaScript does for Lua. */
  charge(instructions: number): void {
    this.state.l_G.fuel -= instructions;
  }

  /** Charges bytes that JavaScript keeps until they are released. */
  keep(bytes: number): void {
    this.kept += bytes;
    charge(this.state, bytes);
  }

  /** The log keeps a checkpoint until a snapshot stands for it, or the run ends. */
  holdCheckpoint(checkpoint: Checkpoint): void {
    if (this.holds('log-as-memory')) this.held += checkpointSize(checkpoint);
  }

  /** A snapshot stands for these. */
  releaseCheckpoints(checkpoints: readonly Checkpoint[]): void {
    if (!this.holds('log-as-memory')) return;
    for (const each of checkpoints) this.held -= checkpointSize(each);
  }

  release(bytes: number): void {
    this.kept -= bytes;
  }

  outOfFuel(L: LuaState, inLoop: boolean): boolean {
    const { idleInstructions, totalInstructions, overdraftInstructions } = this.limits;
    if (this.used - this.usedAtEffect > idleInstructions)
      throw this.stop(
        L,
        'instruction_limit',
        `ran ${idleInstructions} instructions without an effect; is this loop endless?`,
      );
    if (this.used > totalInstructions)
      throw this.stop(L, 'instruction_limit', `the run used all of its ${totalInstructions} instructions`);
    if (inLoop && isSuspendable(L)) {
      this.sliceEnded = true;
      return true;
    }
    if (this.state.l_G.fuel < -overdraftInstructions)
      throw this.stop(
        L,
        'instruction_limit',
        `one call ran for over ${overdraftInstructions} instructions where it can't be interrupted`,
      );
    this.state.l_G.fuelLimit = -overdraftInstructions;
    return false;
  }

  /** Half of the limit was allocated since the last look: count what is still reachable. */
  outOfHeap(L: LuaState, bytes: number): void {
    const live = liveBytes(this.state) + this.kept + this.held + bytes;
    this.charge(live >> 4);
    const free = this.limits.memoryBytes - live;
    if (free <= 0)
      throw this.stop(
        L,
        'memory_limit',
        `the procedure's values need more than ${this.limits.memoryBytes} bytes`,
      );
    this.state.l_G.heap = Math.max(free, this.limits.memoryBytes / 8);
  }

  stringTooLong(L: LuaState, bytes: number): void {
    throw this.stop(
      L,
      'memory_limit',
      `a string of ${bytes} bytes is longer than the ${this.limits.stringBytes} allowed`,
    );
  }

  copyTooLarge(L: LuaState): void {
    throw this.stop(
      L,
      'memory_limit',
      `a value is too large to be copied as JSON: of over ${2 * this.limits.stringBytes} bytes`,
    );
  }

  private stop(L: LuaState, code: 'instruction_limit' | 'memory_limit', message: string): TactusError {
    const trace = traceback(this.state.l_G.running ?? L);
    return new TactusError(code, message, { ...trace.at, traceback: trace.text });
  }
}

const liveBytesPer = { entry: 300, table: 450, string: 260, closure: 250, slot: 48, thread: 5000 } as const;

/** A key is kept twice: as its hash as well. Of a short one that is counted with the rest. */
const longText = 64;

interface Closure {
  upvals?: (TValue | undefined)[];
  upvalue?: (TValue | undefined)[];
}

/**
 * Bytes that the values reachable from the registry and the running threads need, estimated: a collector's mark
 * phase. It depends on the Lua values alone, so it answers the same on every machine and on replay.
 */
function liveBytes(main: LuaState): number {
  const seen = new Set<unknown>();
  const pending: unknown[] = [];
  let bytes = 0;
  const countsHashes = main.l_G.weighs;

  const visit = (held: unknown): void => {
    if (typeof held !== 'object' || held === null || seen.has(held)) return;
    seen.add(held);
    pending.push(held);
  };

  const visitEntry = (entry: TableEntry): void => {
    visit(entry.keyvalue);
    visit(entry.value);
  };

  visit(main.l_G.l_registry.value);
  for (let L = main.l_G.running; L !== null; L = L.resumer) visit(L);
  visit(main);

  for (let held = pending.pop(); held !== undefined; held = pending.pop()) {
    if (held instanceof Table) {
      bytes += liveBytesPer.table + sizeOf(held) * liveBytesPer.entry;
      if (held.template !== null) for (const entry of entriesOf(held)) visitEntry(entry);
      else for (let entry = held.f; entry !== undefined; entry = entry.n) visitEntry(entry);
      if (held.metatable !== null) visit(held.metatable);
    } else if (isThread(held)) {
      bytes += liveBytesPer.thread + held.stack.length * liveBytesPer.slot;
      for (let i = 0; i < held.top; i++) visit(held.stack[i]?.value);
    } else if (isString(held)) {
      bytes += liveBytesPer.string + held.realstring.length;
      if (countsHashes && held.realstring.length >= longText && held.hash !== null)
        bytes += held.realstring.length;
    } else {
      const { upvals, upvalue } = held as Closure;
      bytes += liveBytesPer.closure;
      for (const slot of upvals ?? upvalue ?? []) visit(slot?.value);
    }
  }
  return bytes;
}

function isThread(held: unknown): held is LuaState {
  return typeof held === 'object' && held !== null && 'l_G' in held && 'stack' in held;
}

function isString(held: unknown): held is { realstring: Uint8Array; hash: string | null } {
  return typeof held === 'object' && held !== null && 'realstring' in held;
}
