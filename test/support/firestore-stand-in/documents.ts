import { Refusal } from './refusal.js';
import { sizeOf, type Fields } from './values.js';

export interface Timestamp {
  seconds: string;
  nanos: number;
}

export interface Document {
  name: string;
  fields: Fields;
  createTime: Timestamp;
  updateTime: Timestamp;
}

export interface Write {
  update?: { name: string; fields: Fields } | null;
  delete?: string;
  updateMask?: { fieldPaths: string[] } | null;
  updateTransforms?: unknown[];
  currentDocument?: { exists?: boolean; updateTime?: Timestamp | null } | null;
}

const largest = 1_048_576;
const name = /^projects\/[^/]+\/databases\/[^/]+\/documents(?:\/[^/]+\/[^/]+)+$/;

/** Documents by their names. Writes are made all together or not at all, each only where its condition holds. */
export class Documents {
  readonly #all = new Map<string, Document>();
  #micros = BigInt(Date.now()) * 1_000n;

  get(path: string): Document | null {
    return this.#all.get(path) ?? null;
  }

  /** Those right in a collection. */
  in(collection: string): Document[] {
    const begin = `${collection}/`;
    return [...this.#all.values()].filter(
      (each) => each.name.startsWith(begin) && !each.name.slice(begin.length).includes('/'),
    );
  }

  now(): Timestamp {
    // No two are made at the same time.
    this.#micros += 1n;
    const micros = this.#micros;
    return { seconds: String(micros / 1_000_000n), nanos: Number(micros % 1_000_000n) * 1_000 };
  }

  /** @throws Refusal */
  commit(writes: readonly Write[]): Timestamp {
    for (const write of writes) this.#check(write);
    const now = this.now();
    for (const write of writes) this.#make(write, now);
    return now;
  }

  #check({ update, delete: gone, updateTransforms = [], currentDocument }: Write): void {
    const path = update?.name ?? gone ?? '';
    if (!name.test(path) || path.split('/').slice(5).some(isReserved))
      throw new Refusal('invalid', `no document is named ${path}`);
    if (updateTransforms.length > 0) throw new Refusal('unimplemented', 'transforms');
    if (update && sizeOf(path, update.fields) > largest)
      throw new Refusal('invalid', `Document '${path}' cannot be written because its size exceeds 1 MiB`);
    const found = this.get(path);
    const { exists, updateTime } = currentDocument ?? {};
    if (updateTime) {
      const isSame =
        found?.updateTime.seconds === updateTime.seconds && found.updateTime.nanos === updateTime.nanos;
      if (!isSame)
        throw new Refusal(found === null ? 'notFound' : 'precondition', 'the stored version does not match');
    } else if (exists === true && found === null)
      throw new Refusal('notFound', `No document to update: ${path}`);
    else if (exists === false && found !== null)
      throw new Refusal('exists', `Document already exists: ${path}`);
  }

  #make({ update, delete: gone, updateMask }: Write, now: Timestamp): void {
    if (!update) return void this.#all.delete(gone ?? '');
    const found = this.get(update.name);
    const fields = updateMask
      ? masked(found?.fields ?? {}, update.fields, updateMask.fieldPaths)
      : update.fields;
    this.#all.set(update.name, {
      ...{ name: update.name, fields },
      ...{ createTime: found?.createTime ?? now, updateTime: now },
    });
  }
}

function isReserved(part: string): boolean {
  return /^(?:\.\.?|__.*__)$/.test(part) || Buffer.byteLength(part) > 1_500;
}

function masked(before: Fields, after: Fields, paths: readonly string[]): Fields {
  const fields = { ...before };
  for (const path of paths) {
    const value = after[path];
    if (value === undefined) delete fields[path];
    else fields[path] = value;
  }
  return fields;
}
