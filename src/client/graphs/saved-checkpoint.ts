import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { damagedRecord } from '../storage/storage-backend.js';
import { fromStored, toStored } from './stored-value.js';

/** A checkpoint of a thread, as Zupa has it. Other fields are kept as well. Dates, also those within, stay dates. */
export interface SavedCheckpoint<V = Record<string, unknown>> {
  values: V;
  metadata: { step: number; source: string; writes: Record<string, unknown> };
  checkpointId: string;
  /** Left out at the beginning of a thread. */
  parentCheckpointId?: string;
  createdAt: Date;
  nextTasks: string[];
}

type Check = (value: unknown) => boolean;

const isRecord: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = (value) => typeof value === 'string' && value !== '';
const isStep: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isMoment: Check = (value) => value instanceof Date && !Number.isNaN(value.getTime());
const isTextList: Check = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string');

const checks: [path: string, what: string, check: Check][] = [
  ['values', 'an object', isRecord],
  ['metadata', 'an object', isRecord],
  ['metadata.step', 'a whole number from 0 on', isStep],
  ['metadata.source', 'a text', isText],
  ['metadata.writes', 'an object', isRecord],
  ['checkpointId', 'a text', isText],
  ['parentCheckpointId', 'a text, or left out', (value) => value === undefined || isText(value)],
  ['createdAt', 'a date', isMoment],
  ['nextTasks', 'a list of texts', isTextList],
];

/** @throws TactusError usage of what is no checkpoint; value_not_json */
export function storedSnapshot(snapshot: unknown): JsonObject {
  for (const [path, what, isRight] of checks)
    if (!isRight(at(snapshot, path)))
      throw new TactusError('usage', `A checkpoint needs ${path}: ${what}`, { path });
  const stored = toStored(snapshot, 'checkpoint');
  if (isObject(stored)) return stored;
  throw new TactusError('usage', 'A checkpoint must be an object');
}

/** @throws TactusError file_failed of what is no checkpoint any more */
export function readSaved<V>(recordId: string, stored: JsonValue): SavedCheckpoint<V> {
  const snapshot = fromStored(stored);
  for (const [path, what, isRight] of checks)
    if (!isRight(at(snapshot, path)))
      throw damagedRecord(`a checkpoint of ${recordId}`, new Error(`${path} must be ${what}`));
  // All fields have been looked at.
  return snapshot as SavedCheckpoint<V>;
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split('.'))
    found =
      isRecord(found) && Object.hasOwn(found as object, key)
        ? (found as Record<string, unknown>)[key]
        : undefined;
  return found;
}
