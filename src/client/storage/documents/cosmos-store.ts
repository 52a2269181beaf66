import { TactusError } from '../../../contract/errors.js';
import { eachLimit } from '../../concurrency.js';
import type { CheckpointFilter } from '../storage-backend.js';
import { CosmosContainer, type CosmosItem, type CosmosPlace } from './cosmos-container.js';
import {
  digestOf,
  idRange,
  outcomeAgainst,
  type DocumentStore,
  type HeadOutcome,
  type LinkedHead,
  type NewHead,
} from './document-store.js';
import { readStoreAddress } from './store-requests.js';

interface CosmosHead extends LinkedHead {
  etag: string;
}

interface HeadItem extends CosmosItem {
  /** The id of the procedure. */
  procedure: string;
  version: string;
  previous: string | null;
  /** By which all heads are listed, and those of a status: in hexadecimal digits, which have the same order for everybody. */
  key: string;
  statusKey: string;
  content: string;
}

interface PartItem extends CosmosItem {
  /** In Base64. */
  content: string;
}

const form = 'cosmos://ACCOUNT/DATABASE/CONTAINER?endpoint=URL';
const longestId = 1_024;
const deletionsAtOnce = 8;
const headId = 'head';
const part = 'part-';
/** Behind all ids of parts. */
const afterParts = 'part.';

/**
 * Documents in a container of Cosmos DB, an item each; those of a procedure are a partition. Which heads there are, all and by status, their
 * own properties say, by an index that is written with them: a list asks all partitions.
 */
export class CosmosStore implements DocumentStore<CosmosHead> {
  readonly name = 'Cosmos DB';
  // An item has 2 MB at most; what is written is paid for by KB.
  readonly limits = { largestPart: 750_000, largestTail: 4_096 };

  private constructor(private readonly container: CosmosContainer) {}

  /** @throws TactusError missing_package; usage where the address is none */
  static async open(address: string): Promise<CosmosStore> {
    return new CosmosStore(await CosmosContainer.open(placeOf(address)));
  }

  prepare(): Promise<void> {
    return this.container.prepare(['key', 'statusKey']);
  }

  async readHead(procedureId: string): Promise<CosmosHead | null> {
    const item = await this.container.read<HeadItem>(headId, partitionOf(procedureId));
    if (item === null) return null;
    const { version, previous, content, _etag } = item;
    return { version, previous, text: content, etag: _etag };
  }

  async writeHead(procedureId: string, head: NewHead, before: CosmosHead | null): Promise<HeadOutcome> {
    const key = hexOf(Buffer.from(procedureId));
    const item: HeadItem = {
      ...{ id: headId, partition: partitionOf(procedureId), procedure: procedureId },
      ...{ version: head.version, previous: before?.version ?? null },
      ...{ key, statusKey: statusList(head.status) + key, content: head.text },
    };
    const isDone =
      before === null ? await this.container.create(item) : await this.container.replace(item, before.etag);
    return isDone ? 'done' : outcomeAgainst(await this.readHead(procedureId), head.version, before);
  }

  removeHead(procedureId: string, { etag }: CosmosHead): Promise<boolean> {
    return this.container.delete(headId, partitionOf(procedureId), etag);
  }

  async readPart(procedureId: string, name: string): Promise<Uint8Array | null> {
    const item = await this.container.read<PartItem>(part + name, partitionOf(procedureId));
    return item === null ? null : Buffer.from(item.content, 'base64');
  }

  async readParts(procedureId: string): Promise<Map<string, Uint8Array>> {
    const items = await this.#parts<PartItem>(procedureId, 'c.id, c.content', '');
    return new Map(items.map(({ id, content }) => [nameOf(id), Buffer.from(content, 'base64')]));
  }

  writePart(procedureId: string, name: string, content: Uint8Array): Promise<void> {
    const item: PartItem = {
      ...{ id: part + name, partition: partitionOf(procedureId) },
      content: Buffer.from(content).toString('base64'),
    };
    return this.container.put(item);
  }

  async partNames(procedureId: string, after: string): Promise<string[]> {
    return (await this.#parts<string>(procedureId, 'VALUE c.id', after)).map(nameOf);
  }

  removeParts(procedureId: string, names: readonly string[]): Promise<void> {
    return eachLimit(names, deletionsAtOnce, async (name) => {
      await this.container.delete(part + name, partitionOf(procedureId));
    });
  }

  async list({ status, limit = Infinity, ...bounds }: CheckpointFilter): Promise<string[]> {
    const range = idRange(bounds, longestId);
    if (range === null) return [];
    const [property, list] = status === undefined ? ['key', ''] : ['statusKey', statusList(status)];
    const [from, to] = [list + hexOf(range.from), list + hexOf(range.to)];
    return this.container.query<string>(
      `SELECT VALUE c.procedure FROM c WHERE c.${property} >= @from AND c.${property} < @to ORDER BY c.${property}`,
      { from, to },
      { limit },
    );
  }

  async close(): Promise<void> {
    this.container.close();
  }

  #parts<T>(procedureId: string, wanted: string, after: string): Promise<T[]> {
    const partition = partitionOf(procedureId);
    const bounds = 'c.partition = @partition AND c.id > @after AND c.id < @end';
    return this.container.query<T>(
      `SELECT ${wanted} FROM c WHERE ${bounds} ORDER BY c.id`,
      { partition, after: part + after, end: afterParts },
      { partition },
    );
  }
}

/** @throws TactusError usage */
function placeOf(address: string): CosmosPlace {
  const { name, folder, endpoint } = readStoreAddress(address, form, ['endpoint']);
  const [database = '', container = '', ...others] = folder.split('/');
  if (container === '' || others.length > 0)
    throw new TactusError('usage', `An address of this storage is ${form}`);
  const account = `https://${name}.documents.azure.com`;
  return { endpoint: endpoint ?? account, isAccount: endpoint === undefined, database, container };
}

/** @throws TactusError usage of an id that is too long */
function partitionOf(procedureId: string): string {
  if (Buffer.byteLength(procedureId) > longestId)
    throw new TactusError('usage', `a procedure id has ${longestId} bytes at most in Cosmos DB`);
  return digestOf(procedureId);
}

function statusList(status: string): string {
  return `${digestOf(status)}/`;
}

function hexOf(bytes: Buffer): string {
  return bytes.toString('hex');
}

function nameOf(id: string): string {
  return id.slice(part.length);
}
