import { randomUUID } from 'node:crypto';
import { isObject, jsonAs, type JsonValue } from '../../../contract/json/json.js';
import { eachLimit } from '../../concurrency.js';
import { emptyColumns, toColumns, type Columns, type RecordParts } from '../parts-storage.js';
import type { CheckpointEntry, ProcedureMetadata } from '../procedure-metadata.js';
import { digestOf, type PartLimits, type PartStore } from './document-store.js';

/** Where a text is that has its own parts. */
interface PartRef {
  /** How the names of its parts begin. */
  name: string;
  parts: number;
  /** SHA-256 of the text. */
  digest: string;
}

/** So many parts are on their way at once. */
const atOnce = 8;

/** Writes a text into as many parts as it takes. */
async function writeText(
  store: PartStore,
  procedureId: string,
  name: string,
  text: string,
): Promise<PartRef> {
  const bytes = Buffer.from(text);
  const parts = Math.max(1, Math.ceil(bytes.length / store.limits.largestPart));
  const numbers = Array.from({ length: parts }, (_, i) => i);
  await eachLimit(numbers, atOnce, (i) => {
    const begin = i * store.limits.largestPart;
    return store.writePart(
      procedureId,
      nameOf(name, i),
      bytes.subarray(begin, begin + store.limits.largestPart),
    );
  });
  return { name, parts, digest: digestOf(text) };
}

/** Those parts of one reference that are there. */
export async function readPartsOf(
  store: PartStore,
  procedureId: string,
  ref: PartRef,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  await eachLimit(namesOf(ref), atOnce, async (name) => {
    const content = await store.readPart(procedureId, name);
    if (content !== null) found.set(name, content);
  });
  return found;
}

/** The text of a reference, out of parts that were read. Null where a part of it is gone. @throws Error where it is another text */
export function textIn(parts: ReadonlyMap<string, Uint8Array>, ref: PartRef): string | null {
  const contents = namesOf(ref).map((name) => parts.get(name));
  if (!contents.every((content) => content !== undefined)) return null;
  const text = Buffer.concat(contents).toString();
  if (digestOf(text) !== ref.digest) throw new Error('a part of it is not what was written');
  return text;
}

export function namesOf({ name, parts }: PartRef): string[] {
  return Array.from({ length: parts }, (_, i) => nameOf(name, i));
}

function nameOf(name: string, index: number): string {
  return `${name}.${String(index).padStart(4, '0')}`;
}

/**
 * The parts that a change writes before the head that refers to them. Their names begin with the number of the change, and no
 * other attempt at it has the same.
 */
export class Draft {
  readonly names: string[] = [];
  readonly #begin: string;
  #texts = 0;

  constructor(
    private readonly store: PartStore,
    private readonly procedureId: string,
    readonly change: number,
  ) {
    this.#begin = `${numbered(change)}-${randomUUID().slice(0, 8)}`;
  }

  get limits(): PartLimits {
    return this.store.limits;
  }

  async write(text: string): Promise<PartRef> {
    const name = `${this.#begin}-${numbered(this.#texts++)}`;
    const ref = await writeText(this.store, this.procedureId, name, text);
    this.names.push(...namesOf(ref));
    return ref;
  }
}

/** Behind the names of all parts that the changes up to this one have written. */
export function behindChange(change: number): string {
  return `${numbered(change)}~`;
}

/** In the order of numbers, texts of them are in that of characters. */
function numbered(number: number): string {
  return String(number).padStart(10, '0');
}

/** An entry of the log as it is kept: its position, and all of it as JSON. */
type KeptEntry = readonly [position: number, text: string];

/** What the text of a head says. */
export interface HeadContent {
  /** How many changes there were. The parts that one wrote begin with its number. */
  change: number;
  /** The change up to which parts that nobody refers to have been removed. */
  swept: number;
  columns: Columns;
  /** Columns that are too large for the head, and where they are. */
  large: Record<string, PartRef>;
  /** Of all entries of the log. */
  positions: Positions;
  /** Where the entries before the newest ones are: the last segment, which names the one before. */
  segment: PartRef | null;
  /** The newest entries, in the order in which they came. */
  tail: readonly KeptEntry[];
}

/** The content of a head that isn't there yet. */
export const noContent: HeadContent = {
  ...{ change: 0, swept: 0, columns: emptyColumns, large: {} },
  ...{ positions: [], segment: null, tail: [] },
};

/** @throws Error where it is none */
export function toHeadContent(text: string): HeadContent {
  const content = JSON.parse(text) as JsonValue;
  if (!isObject(content)) throw new Error('its head is no JSON object');
  const isWhole =
    [content['change'], content['swept']].every(Number.isSafeInteger) &&
    [content['columns'], content['large']].every((part) => isObject(part ?? null)) &&
    [content['positions'], content['tail']].every(Array.isArray);
  if (!isWhole) throw new Error('its head lacks something');
  return jsonAs<HeadContent>(content);
}

/** A text of more bytes is kept in parts of its own: all that stay in a head fit into it. */
const largestColumn = 32_768;
/** So many pieces a log with gaps has at most: one with more is kept as one text, as those are whose positions don't grow. */
const mostPieces = 1_000;

/** Entries that have left the head. */
interface Segment {
  previous: PartRef | null;
  entries: readonly KeptEntry[];
}

/** A head's record, out of its parts. Null where one is gone. @throws Error where one can't be read */
export function recordIn(
  { columns, large, positions, segment, tail }: HeadContent,
  parts: ReadonlyMap<string, Uint8Array>,
): RecordParts | null {
  const all: Columns = { ...columns, entries: countOf(positions) };
  for (const [name, ref] of Object.entries(large)) {
    const text = textIn(parts, ref);
    if (text === null) return null;
    all[name] = text;
  }
  const pieces = [tail];
  for (let ref = segment; ref !== null;) {
    const text = textIn(parts, ref);
    if (text === null) return null;
    const { previous, entries } = JSON.parse(text) as Segment;
    pieces.push(entries);
    ref = previous;
  }
  const byPosition = new Map(pieces.reverse().flat());
  const log = [...byPosition].sort(([a], [b]) => a - b).map(([, text]) => text);
  return { columns: all, log };
}

/** With these columns in place of what they were. A large one that is what it was isn't written again. */
export async function withColumns(
  content: HeadContent,
  changed: Columns,
  draft: Draft,
): Promise<HeadContent> {
  const [columns, large] = [{ ...content.columns, ...changed }, { ...content.large }];
  for (const [name, value] of Object.entries(changed)) {
    delete large[name];
    // The status is what heads are listed by.
    if (name === 'status' || typeof value !== 'string' || Buffer.byteLength(value) <= largestColumn) continue;
    delete columns[name];
    const before = content.large[name];
    large[name] = before?.digest === digestOf(value) ? before : await draft.write(value);
  }
  return { ...content, columns, large };
}

/** With entries, which are in the order of their positions, behind those that are there. Null where it gets too many gaps. */
export async function withLog(
  content: HeadContent,
  entries: readonly CheckpointEntry[],
  draft: Draft,
): Promise<HeadContent | null> {
  const positions = withEntries(content.positions, entries);
  if (positions.length > mostPieces) return null;
  const added = entries.map((entry): KeptEntry => [entry.position, JSON.stringify(entry)]);
  const replaced = new Set(entries.map(({ position }) => position));
  const tail = [...content.tail.filter(([position]) => !replaced.has(position)), ...added];
  if (sizeOf(tail) <= draft.limits.largestTail) return { ...content, positions, tail };
  let previous = content.segment;
  for (const piece of inPieces(tail, draft.limits.largestPart))
    previous = await draft.write(JSON.stringify({ previous, entries: piece } satisfies Segment));
  return { ...content, positions, segment: previous, tail: [] };
}

/** A record as a whole. */
export async function whole(record: ProcedureMetadata, draft: Draft): Promise<HeadContent> {
  const columns = toColumns(record);
  const kept = await withColumns(noContent, columns, draft);
  if (columns['odd_log'] !== null) return kept;
  const log = record.execution_log;
  return (await withLog(kept, log, draft)) ?? withColumns(kept, oddLog(log), draft);
}

/** A log that is kept as one text. */
export function isOdd({ columns, large }: HeadContent): boolean {
  return Object.hasOwn(large, 'odd_log') || columns['odd_log'] !== null;
}

/** Where the parts are that a head refers to by itself: those of the log but the last are referred to by others. */
export function refsOf({ large, segment }: HeadContent): PartRef[] {
  return [...Object.values(large), ...(segment === null ? [] : [segment])];
}

function oddLog(log: readonly CheckpointEntry[]): Columns {
  return { entries: 0, odd_log: JSON.stringify(log) };
}

/** Entries by segments, each of which fits into a part unless it has a single one. */
function inPieces(entries: readonly KeptEntry[], largest: number): KeptEntry[][] {
  const pieces: KeptEntry[][] = [];
  // Not all of it: a segment says where the one before is.
  let room = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (size > room) {
      pieces.push([]);
      room = largest - 200;
    }
    pieces.at(-1)?.push(entry);
    room -= size;
  }
  return pieces;
}

function sizeOf(entries: readonly KeptEntry[]): number {
  return entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
}

/** Positions of a log, as first and last of those that follow each other: of a run's log that is one pair, or few. */
type Positions = readonly (readonly [first: number, last: number])[];

/** These and those of entries, which are in the order of their positions. */
function withEntries(positions: Positions, entries: readonly CheckpointEntry[]): Positions {
  const added = entries.map(({ position }): [number, number] => [position, position]);
  const sorted = [...positions, ...added].sort(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [first, last] of sorted) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

export function countOf(positions: Positions): number {
  return positions.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
