import type { JsonValue } from '../json/json.js';
import type { Plan } from './plan.js';

/** That a snapshot of a session was made, or couldn't be. */
export interface SnapshotEntry {
  /** ISO 8601 in UTC. */
  at: string;
  /** Of the checkpoint that it was made at. */
  position: string;
  /** `plan_step_done`, `plan_changed`, `on_demand`, or the name of an event. */
  trigger: string;
  /** null where it couldn't be written. */
  bytes: number | null;
  error: string | null;
}

/** So many are known, the newest ones; all are counted. */
export const mostSnapshots = 100;

/** Snapshots of a session: the newest ones, and how many there were in all. */
export interface SnapshotList {
  made: number;
  failed: number;
  newest: SnapshotEntry[];
}

/** The session of a run, as `session --json` shows it. */
export interface SessionView {
  plan: Plan | null;
  /** Items by the names of slices, without that of the plan. */
  slices: Record<string, JsonValue[]>;
  /** Classes of the items, by the names of slices, where a snapshot that was restored said so; left out where none did. */
  types?: Record<string, string>;
  snapshots: SnapshotEntry[];
  /** How many snapshots were made and couldn't be written, those among them that are known no more. */
  snapshots_made: number;
  snapshots_failed: number;
}

/** Of a run that has kept nothing in it, or has none. */
export const noSession: SessionView = {
  ...{ plan: null, slices: {}, snapshots: [], snapshots_made: 0, snapshots_failed: 0 },
};
