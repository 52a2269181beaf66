import {
  grown,
  keepLedger,
  type RunSnapshot,
  type StorageBackend,
  toGrowth,
  toProcedureMetadata,
} from '../../../client/storage/index.js';
import type { Checkpoint } from '../../../contract/checkpoints/checkpoint.js';
import { ledgerOf } from '../../../contract/graphs/ledger.js';
import { isOver, type RunStatus } from '../../../contract/runs/run-view.js';
import { lackedBy } from '../../../log/pages.js';
import type { MirrorUpdate } from '../../../workflows/storage/mirror.js';

/** What one write takes. */
export interface Unwritten {
  /** A snapshot with nothing but the new checkpoints in its log, or with the whole. */
  snapshot: RunSnapshot;
  /** Entries that the record has already; null where it is written anew. */
  from: number | null;
}

/**
 * What the mirror knows of a run: how it stands, which checkpoints the record doesn't have yet, and how many it has.
 * Those that are written are forgotten, so that a run costs the same however long it gets.
 *
 * Owns: the newest state that the run told, and its checkpoints that are not handed out for writing.
 * Asks: nobody. `MirrorWriter` feeds it, writes what it gives, and tells how that went.
 * Invariants:
 *  1. Without a gap, `fresh` follows without a hole what was handed out before. With a gap it is empty.
 *  2. What was taken is kept, given back or lost, before anything else is taken.
 *  3. `toldAt` is null as long as all is written.
 */
export class MirroredRun {
  isDirty = true;
  /** Something was told before that we never heard: the run itself must be asked. */
  isGap = false;
  /** Counts what was told. */
  version = 0;
  /** The write that is under way. */
  writing: Promise<void> | null = null;
  /** When the oldest was told that isn't written, in ms since 1970; null: all is. */
  toldAt: number | null = null;
  /** The same of what was told since the last was taken. */
  private untakenSince = 0;
  /** The record has what others don't see in it yet. */
  isUnfolded = false;
  private head: Omit<RunSnapshot, 'log'>;
  private fresh: Checkpoint[] = [];
  /** Checkpoints that were told or read, and those that the record has of them; null: it is to be written anew. */
  private told = 0;
  private written: number | null = null;
  /** The run was asked, and may have answered with what it was only about to tell. */
  private isAhead = false;
  /** How many checkpoints there are, as was told. */
  private heard = 0;

  constructor(first: MirrorUpdate) {
    this.head = headOf(first);
  }

  add(update: MirrorUpdate): void {
    this.head = headOf(update);
    if (!this.isDirty || this.toldAt === null) this.untakenSince = Date.now();
    this.toldAt ??= this.untakenSince;
    this.isDirty = true;
    this.version++;
    const { from, checkpoints } = update;
    this.heard = from + checkpoints.length;
    if (this.isGap) return;
    const lacked = lackedBy(this.told, { from, entries: checkpoints });
    if (lacked === null || (from < this.told && !this.isAhead)) {
      this.isGap = true;
      this.fresh = [];
      return;
    }
    if (this.heard >= this.told) this.isAhead = false;
    this.fresh.push(...lacked);
    this.told += lacked.length;
  }

  /**
   * Fills the gap with what the run itself said. `isCurrent`: it has told nothing while it was asked; else it may have
   * answered before what it told, and then has to be asked again.
   */
  fill({ log, ...head }: RunSnapshot, isCurrent: boolean): void {
    if (!isCurrent && log.length < this.heard) return;
    // It says that it has ended before the server does.
    if (isCurrent) this.head = isOver(this.status) ? { ...head, status: this.status } : head;
    this.fresh = [...log];
    this.told = log.length;
    this.written = null;
    this.isGap = false;
    this.isAhead = true;
  }

  get status(): RunStatus {
    return this.head.status;
  }

  /** Hands out what is to be written, and forgets it. */
  take(): Unwritten {
    const snapshot = { ...this.head, log: this.fresh };
    this.fresh = [];
    this.isDirty = false;
    if (!this.isGap || snapshot.mark === null) return { snapshot, from: this.isGap ? 0 : this.written };
    // Of a run that couldn't be asked, only how it stands is known.
    return { snapshot: { ...snapshot, mark: { ...snapshot.mark, partial: true } }, from: 0 };
  }

  /** What was taken is in the record. */
  keep({ snapshot, from }: Unwritten): void {
    this.isUnfolded ||= from !== null;
    this.toldAt = this.isDirty ? this.untakenSince : null;
    if (!this.isGap) this.written = (from ?? 0) + topLevel(snapshot.log);
  }

  /** What was taken couldn't be written, and goes with what has come since. */
  giveBack({ snapshot }: Unwritten): void {
    if (!this.isGap) this.fresh = [...snapshot.log, ...this.fresh];
  }

  /** What was taken is lost; the run has to tell it once more. */
  lose(): void {
    this.isGap = true;
    this.fresh = [];
  }
}

/** In which namespace the run is, and whether it is over, is known when it is written. */
function headOf({ runId, status, state, waitingOn, run }: MirrorUpdate): Omit<RunSnapshot, 'log'> {
  const mark = run.version === null ? null : { ...run.version, namespace: '', over: false };
  return { runId, status, state, waitingOn, mark };
}

function topLevel(log: readonly Checkpoint[]): number {
  return log.filter(({ position }) => !position.includes('.')).length;
}

/**
 * Writes what is new of a run, by the cheapest way that the storage has; nothing where its record was told later. False where the record
 * lacks what was before.
 */
export async function saveGrowth(storage: StorageBackend, { snapshot, from }: Unwritten): Promise<boolean> {
  const { runId } = snapshot;
  const ledger = ledgerOf(snapshot.log);
  // In one transaction with the record, or before it: a record that has come so far has its ledger.
  const isApart = storage.readLedger === undefined;
  if (isApart) await keepLedger(storage, runId, ledger, { isWhole: from === null });
  if (from === null) {
    const record = toProcedureMetadata(snapshot);
    if (storage.supersede === undefined) await storage.saveProcedureMetadata(runId, record);
    else await storage.supersede(runId, record, ledger);
    return true;
  }
  const growth = toGrowth(snapshot, from);
  if (storage.append !== undefined) return storage.append(runId, growth, ledger);
  const record = await storage.loadProcedureMetadata(runId);
  if (lackedBy(record.execution_log.length, growth) === null) return false;
  await storage.saveProcedureMetadata(runId, grown(record, [growth]));
  return true;
}
