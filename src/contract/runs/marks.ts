import { isObject, jsonAs, type JsonValue } from '../json/json.js';
import type { Usage } from '../models/model-call.js';
import type { ScoreValue } from '../scores/score.js';
import type { Labels } from './labels.js';

/** What a run is found and compared by, however far it has come. What has nothing is left out. */
export interface Marks {
  labels?: Labels;
  /** Its variant in each experiment. */
  variants?: Record<string, string>;
  /** The newest that its procedure has given, by their names; `at` is ISO 8601 in UTC. */
  scores?: Record<string, { value: ScoreValue; at: string }>;
}

/** Approvals that people have decided, and how many of them with yes. */
export interface Decisions {
  decided: number;
  approved: number;
}

/** What a run leaves behind that is compared with others. */
export interface EndMarks extends Marks {
  usage?: Usage;
  decisions?: Decisions;
}

/** Key of the memo of a run that has its marks, which is read without a worker. */
export const marksMemo = 'tactus_marks';

/** Reads the memo; no marks where it has none. */
export function readMarks(given: unknown): EndMarks {
  return isObject(given as JsonValue) ? jsonAs<EndMarks>(given as JsonValue) : {};
}
