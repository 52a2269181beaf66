import { sha256Hex } from '../effects/digest.js';
import { TactusError } from '../errors.js';
import {
  canonicalJson,
  getOwn,
  isDeeper,
  isObject,
  readJson,
  usualJsonDepth,
  type JsonObject,
  type JsonValue,
} from '../json/json.js';
import { readMoment } from '../time/duration.js';
import { planSlice, type SliceContent } from './session-content.js';

/** A snapshot of a session in the JSON of WINK 0.14: `Snapshot.to_json` and `Snapshot.from_json`. */
export interface Snapshot {
  /** In ms since 1970. */
  createdAt: number;
  slices: SnapshotSlice[];
  tags: Record<string, string>;
}

export interface SnapshotSlice {
  /** `module:Qualname`. */
  type: string;
  items: JsonValue[];
}

const version = '1';
const typeKey = '__type__';

/** What stands for a module in the types of slices that have no class in Python. */
const ourModule = 'tactus.session';

/** The type of items that are no objects: WINK takes nothing else. */
const valueType = `${ourModule}:Value`;

/** The class that a plan has in Python. */
const planType = 'weakincentives.contrib.tools.planning:Plan';

const identifier = /^[^:]+:.+$/;

/** The type of a slice: a name with a colon is one itself. */
export function typeOfSlice(name: string): string {
  if (name === planSlice) return planType;
  return identifier.test(name) ? name : `${ourModule}:${name}`;
}

/** The name of a class without its module: `Plan` of `weakincentives.contrib.tools.planning:Plan`. */
export function nameOfType(type: string): string {
  return type.slice(type.indexOf(':') + 1);
}

/** What a snapshot is of. */
interface SnapshotFacts {
  /** In ms since 1970. */
  at: number;
  runId: string;
  procedure: string;
}

/** Writes a snapshot of slices of a session. */
export function snapshotText(
  slices: readonly SliceContent[],
  { at, runId, procedure }: SnapshotFacts,
): string {
  return writeSnapshot({
    createdAt: at,
    slices: slices.map(({ name, type = typeOfSlice(name), items }) => ({ type, items })),
    tags: tagsOf({ runId, procedure }),
  });
}

/** What a snapshot says of the run that it is of. */
export function tagsOf({ runId, procedure }: Omit<SnapshotFacts, 'at'>): Record<string, string> {
  return { procedure, run_id: runId, session_id: sessionId(runId) };
}

/** Writes a snapshot that was read, or put together: keys and slices are sorted, and slices without items are left out. */
export function writeSnapshot({ createdAt, slices, tags }: Snapshot): string {
  const written = slices.filter(({ items }) => items.length > 0).map(writtenSlice);
  return canonicalJson({
    version,
    created_at: new Date(createdAt).toISOString().replace('Z', '+00:00'),
    parent_id: null,
    children_ids: [],
    slices: written.sort((a, b) => (a.slice_type < b.slice_type ? -1 : 1)),
    tags,
  });
}

/** WINK's sessions have a UUID. */
function sessionId(runId: string): string {
  const hex = sha256Hex(runId);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function writtenSlice({ type: sliceType, items }: SnapshotSlice): JsonObject & { slice_type: string } {
  const isPlain = items.every((item) => isObject(item) && !Object.hasOwn(item, typeKey));
  const itemType = isPlain ? sliceType : valueType;
  return {
    slice_type: sliceType,
    item_type: itemType,
    items: items.map((item) => ({
      ...(isPlain ? (item as JsonObject) : { value: item }),
      [typeKey]: itemType,
    })),
  };
}

/**
 * Reads a snapshot that we or WINK wrote. The texts of errors are WINK's.
 * @throws TactusError snapshot_invalid
 */
export function readSnapshot(text: string): Snapshot {
  const payload = parsed(text);
  const found = getOwn(payload, 'version');
  const created = getOwn(payload, 'created_at');
  const parent = getOwn(payload, 'parent_id') ?? null;
  if (typeof found !== 'string') throw restoreError('Snapshot version must be a string');
  if (typeof created !== 'string') throw restoreError('Snapshot created_at must be a string');
  if (parent !== null && typeof parent !== 'string')
    throw restoreError('Snapshot parent_id must be a string');
  const children = texts(getOwn(payload, 'children_ids') ?? []);
  const given = getOwn(payload, 'slices') ?? [];
  if (!Array.isArray(given)) throw restoreError('Snapshot slices must be a list');
  const slices = given.map(readSlice);
  const tags = readTags(getOwn(payload, 'tags') ?? {});
  if (found !== version)
    throw restoreError(`Snapshot schema version mismatch: expected ${version}, got ${quoted(found)}`);
  const createdAt = momentOf(created);
  if (createdAt === null) throw restoreError('Invalid created_at timestamp');
  if (parent !== null && !isUuid(parent)) throw restoreError('Invalid parent_id');
  if (!children.every(isUuid)) throw restoreError('Invalid children_ids entry');
  return { createdAt, slices: slices.map(itemsOf), tags };
}

function parsed(text: string): JsonObject {
  let payload: JsonValue;
  try {
    payload = readJson(text);
  } catch {
    throw restoreError('Invalid snapshot JSON');
  }
  if (!isObject(payload)) throw restoreError('Snapshot payload must be an object');
  if (isDeeper(payload, usualJsonDepth)) throw restoreError('Snapshot is nested too deep');
  return payload;
}

function texts(given: JsonValue): string[] {
  if (!Array.isArray(given)) throw restoreError('Snapshot children_ids must be a list');
  if (given.every((each) => typeof each === 'string')) return given;
  throw restoreError('Snapshot children_ids entries must be strings');
}

function readTags(given: JsonValue): Record<string, string> {
  if (!isObject(given)) throw restoreError('Snapshot tags must be an object');
  if (!Object.values(given).every((value) => typeof value === 'string'))
    throw restoreError('Snapshot tags must be string key/value pairs');
  return given as Record<string, string>;
}

interface ReadSlice {
  type: string;
  itemType: string;
  items: JsonObject[];
}

function readSlice(entry: JsonValue): ReadSlice {
  if (!isObject(entry)) throw restoreError('Slice entry must be an object');
  const type = getOwn(entry, 'slice_type');
  const itemType = getOwn(entry, 'item_type');
  if (typeof type !== 'string' || typeof itemType !== 'string')
    throw restoreError('Slice type identifiers must be strings');
  const items = getOwn(entry, 'items') ?? [];
  if (!Array.isArray(items)) throw restoreError('Slice items must be a list');
  if (!items.every(isObject)) throw restoreError('Slice items must be objects');
  return { type, itemType, items };
}

function itemsOf({ type, itemType, items }: ReadSlice): SnapshotSlice {
  for (const each of [type, itemType])
    if (!identifier.test(each)) throw restoreError(`Invalid type identifier: ${quoted(each)}`);
  return {
    type,
    items: items.map((item) => {
      if (itemType === valueType) {
        const value = getOwn(item, 'value') ?? null;
        if (value === null) throw restoreError(`Failed to restore slice ${nameOfType(type)}`);
        return value;
      }
      const { [typeKey]: named = itemType, ...fields } = item;
      // An item of another class than its slice says is none that WINK would take.
      if (named !== itemType) throw restoreError(`Failed to restore slice ${nameOfType(type)}`);
      return fields;
    }),
  };
}

/** As Python quotes a text. */
function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
}

/** A moment without a zone is one in UTC, as in WINK. */
function momentOf(text: string): number | null {
  return readMoment(text) ?? readMoment(`${text}Z`) ?? readMoment(`${text}T00:00:00Z`);
}

/** As Python reads one: with or without hyphens and braces. */
function isUuid(text: string): boolean {
  const digits = text
    .replace(/^urn:uuid:/, '')
    .replace(/^\{|\}$/g, '')
    .replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(digits);
}

export function restoreError(problem: string): TactusError {
  return new TactusError('snapshot_invalid', `SnapshotRestoreError: ${problem}`);
}
