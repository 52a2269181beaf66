import { randomUUID } from 'node:crypto';
import { eachLimit } from '../../server/each-limit.js';
import { digestOf } from './digest.js';
import type { PartLimits, PartStore } from './document-store.js';

/** Where a text is that has its own parts. */
export interface PartRef {
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
