import { randomUUID } from 'node:crypto';
import { Refusal } from './refusal.js';

export interface Definition {
  id: string;
  partitionKey?: { paths: string[] };
  indexingPolicy?: { includedPaths?: { path: string }[]; excludedPaths?: { path: string }[] };
}

export type Item = Record<string, unknown> & { id: string; _etag: string; _rid: string };

/** An item has 2 MB at most. */
const largest = 2 * 1024 * 1024;

/** The items of a container, by their ids within each partition. */
export class Container {
  readonly #items = new Map<string, { partition: string; item: Item }>();
  #count = 0;

  constructor(readonly definition: Definition) {}

  all(): { partition: string; item: Item }[] {
    return [...this.#items.values()];
  }

  /** @throws Refusal where there is none */
  get(partition: string, id: string): Item {
    const found = this.#items.get(keyOf(partition, id));
    if (found === undefined)
      throw new Refusal(404, 'Entity with the specified id does not exist in the system.');
    return found.item;
  }

  /** @throws Refusal of what can't be kept, and where one is there already */
  create(partition: string, text: string): Item {
    const item = this.#read(partition, text);
    if (this.#items.has(keyOf(partition, item.id)))
      throw new Refusal(409, 'Entity with the specified id already exists in the system.');
    return this.#keep(partition, item);
  }

  upsert(partition: string, text: string): Item {
    return this.#keep(partition, this.#read(partition, text));
  }

  /** @throws Refusal where none is there, or another one than the condition says */
  replace(partition: string, id: string, text: string, ifMatch: string | undefined): Item {
    const item = this.#read(partition, text);
    this.#check(partition, id, ifMatch);
    if (item.id !== id) throw new Refusal(400, 'replacing the id is not allowed');
    return this.#keep(partition, item);
  }

  delete(partition: string, id: string, ifMatch: string | undefined): void {
    this.#check(partition, id, ifMatch);
    this.#items.delete(keyOf(partition, id));
  }

  isIndexed(property: string): boolean {
    const { includedPaths = [{ path: '/*' }] } = this.definition.indexingPolicy ?? {};
    return property === 'id' || includedPaths.some(({ path }) => ['/*', `/${property}/?`].includes(path));
  }

  #check(partition: string, id: string, ifMatch: string | undefined): void {
    const { _etag } = this.get(partition, id);
    if (ifMatch !== undefined && ifMatch !== _etag)
      throw new Refusal(412, 'One of the specified pre-condition is not met.');
  }

  #read(partition: string, text: string): { id: string } {
    if (Buffer.byteLength(text) > largest) throw new Refusal(413, 'Request size is too large');
    const item = JSON.parse(text) as { id: string } & Record<string, unknown>;
    if (!isId(item.id)) throw new Refusal(400, 'The input content is invalid: id');
    const [path = ''] = this.definition.partitionKey?.paths ?? [];
    if (item[path.slice(1)] !== partition)
      throw new Refusal(
        400,
        "PartitionKey extracted from document doesn't match the one specified in the header",
      );
    return item;
  }

  #keep(partition: string, item: { id: string }): Item {
    const kept = { ...item, _rid: String(this.#count++).padStart(8, '0'), _etag: `"${randomUUID()}"` };
    this.#items.set(keyOf(partition, item.id), { partition, item: kept });
    return kept;
  }
}

/** Not what ends a path or a part of one, and 1,023 bytes at most. */
function isId(id: unknown): boolean {
  return typeof id === 'string' && id !== '' && !/[/\\?#]/.test(id) && Buffer.byteLength(id) <= 1_023;
}

function keyOf(partition: string, id: string): string {
  return JSON.stringify([partition, id]);
}
