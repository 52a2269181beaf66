import type { JsonValue } from '../json/json.js';
import type { SnapshotList } from './session-view.js';

/** How a slice takes an item that is appended. */
export type Reducer =
  | { kind: 'append_all' | 'replace_latest' }
  /** The item takes the place of those that have the same value in this field: of the first of them, or at the end. */
  | { kind: 'upsert_by' | 'replace_latest_by'; field: string }
  /** A function of the procedure, which is no data: it is declared again where the session goes on elsewhere. */
  | { kind: 'function' };

export interface SliceContent {
  name: string;
  reducer: Reducer;
  items: JsonValue[];
  /** The class that its items have in Python, `module:Qualname`, where a snapshot said so. */
  type?: string;
}

/** All that a session holds. */
export interface SessionContent {
  slices: SliceContent[];
  /** Left out where none was made. */
  snapshots?: SnapshotList;
}

/** The slice that holds the plan. */
export const planSlice = 'Plan';

/** Whether two reducers are the same; two functions never are known to be. */
export function isSameReducer(one: Reducer, other: Reducer): boolean {
  if ('field' in one) return 'field' in other && one.kind === other.kind && one.field === other.field;
  return one.kind === other.kind && one.kind !== 'function';
}
