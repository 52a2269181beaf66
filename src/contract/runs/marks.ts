import { isObject, jsonAs, type JsonValue } from '../json/json.js';
import type { Labels } from './labels.js';

/** What a run is found and compared by, however far it has come. What has nothing is left out. */
export interface Marks {
  labels?: Labels;
}

/** Key of the memo of a run that has its marks, which is read without a worker. */
export const marksMemo = 'tactus_marks';

/** Reads the memo; no marks where it has none. */
export function readMarks(given: unknown): Marks {
  return isObject(given as JsonValue) ? jsonAs<Marks>(given as JsonValue) : {};
}
