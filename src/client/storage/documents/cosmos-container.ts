import type * as Sdk from '@azure/cosmos';
import type { CosmosClientOptions } from '@azure/cosmos';
import type * as Identity from '@azure/identity';
import { setTimeout as pause } from 'node:timers/promises';
import { askStore, unlessRefused } from './store-requests.js';
import { loadPackage } from '../../../contract/load-package.js';
import { TactusError } from '../../../contract/errors.js';

const partitionPath = '/partition';

/**
 * Makes a container where there is none, and its database, with as much throughput as either has by itself.
 * @throws TactusError usage where there is one of another kind
 */
async function ensureContainer(
  client: Sdk.CosmosClient,
  { database, container }: CosmosPlace,
  indexed: readonly string[],
): Promise<void> {
  try {
    const { resource } = await client.database(database).container(container).read();
    const found = (resource?.partitionKey?.paths ?? []).join();
    if (found === partitionPath) return;
    throw new TactusError(
      'usage',
      `The container ${container} is not a storage's: its partition key is ${found}`,
    );
  } catch (error) {
    // Whoever may not look may use it all the same.
    if (codeOf(error) === 403) return;
    if (codeOf(error) !== 404) throw error;
  }
  await unlessThere(() => client.databases.create({ id: database }));
  await unlessThere(() =>
    client.database(database).containers.create({
      id: container,
      partitionKey: { paths: [partitionPath] },
      // What nobody looks for by is not paid for with each write.
      indexingPolicy: {
        includedPaths: indexed.map((name) => ({ path: `/${name}/?` })),
        excludedPaths: [{ path: '/*' }],
      },
    }),
  );
}

/** Another one may have made it. */
async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== 409) throw error;
  }
}

/** An item, by its id in the partition of its procedure. */
export interface CosmosItem {
  id: string;
  partition: string;
}

/** An item as it is there. */
export type Found<T> = T & { _etag: string };

/** A service that says nothing for so long is as good as away. */
const silenceMs = 30_000;
/** So often a thing is asked whose answer got lost: the SDK asks again by itself where it is told to wait, and what only reads. */
const attempts = 4;
const mostItems = 1_000;

/** The items of a container of Cosmos DB. @throws TactusError file_failed, by everything */
export class CosmosContainer {
  readonly #container: Sdk.Container;

  private constructor(
    private readonly client: Sdk.CosmosClient,
    private readonly place: CosmosPlace,
  ) {
    this.#container = client.database(place.database).container(place.container);
  }

  /** @throws TactusError missing_package */
  static async open(place: CosmosPlace): Promise<CosmosContainer> {
    const { CosmosClient } = await load();
    const client = new CosmosClient({
      endpoint: place.endpoint,
      ...(await cosmosCredentials()),
      connectionPolicy: { requestTimeout: silenceMs, enableEndpointDiscovery: place.isAccount },
    });
    return new CosmosContainer(client, place);
  }

  /** Makes it where there is none; `indexed`: by which items are looked for. @throws TactusError usage where it is of another kind */
  prepare(indexed: readonly string[]): Promise<void> {
    return this.#asking(() => ensureContainer(this.client, this.place, indexed));
  }

  /** Null where there is none. */
  read<T extends CosmosItem>(id: string, partition: string): Promise<Found<T> | null> {
    return this.#asking(async () => {
      const answer = await this.#container.item(id, partition).read<Found<T>>();
      const { resource, statusCode: code, substatus } = answer;
      if (resource !== undefined) return resource;
      if (isMissing({ code, substatus })) return null;
      throw Object.assign(new Error('there is no answer to it'), { code: `${code}/${substatus}` });
    });
  }

  async put(item: CosmosItem): Promise<void> {
    await this.#asking(() => this.#container.items.upsert(item));
  }

  /** False, and nothing done, where there is one. */
  create(item: CosmosItem): Promise<boolean> {
    return this.#unlessRefused(() => this.#container.items.create(item));
  }

  /** False, and nothing done, where another one is there, or none. */
  replace(item: CosmosItem, etag: string): Promise<boolean> {
    const condition = { accessCondition: { type: 'IfMatch', condition: etag } };
    return this.#unlessRefused(() => this.#container.item(item.id, item.partition).replace(item, condition));
  }

  /** False where it is another one by now; what is gone is gone. */
  delete(id: string, partition: string, etag?: string): Promise<boolean> {
    const condition = etag === undefined ? {} : { accessCondition: { type: 'IfMatch', condition: etag } };
    return this.#unlessRefused(async () => {
      try {
        await this.#container.item(id, partition).delete(condition);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  /** What a query gives, so much at most. `partition`: in that one alone, which the query has to say as well. */
  query<T>(
    query: string,
    values: Record<string, string>,
    { partition, limit = Infinity }: { partition?: string; limit?: number } = {},
  ): Promise<T[]> {
    const parameters = Object.entries(values).map(([name, value]) => ({ name: `@${name}`, value }));
    const options = {
      ...(partition === undefined ? {} : { partitionKey: partition }),
      maxItemCount: Math.min(limit, mostItems),
    };
    return this.#asking(async () => {
      const found: T[] = [];
      const pages = this.#container.items.query<T>({ query, parameters }, options);
      while (found.length < limit && pages.hasMoreResults())
        found.push(...((await pages.fetchNext()).resources ?? []));
      return found.slice(0, limit);
    });
  }

  close(): void {
    this.client.dispose();
  }

  #unlessRefused(ask: () => Promise<unknown>): Promise<boolean> {
    return this.#asking(() => unlessRefused(ask, isRefused));
  }

  #asking<T>(ask: () => Promise<T>): Promise<T> {
    const { database, container } = this.place;
    return askStore(`Cosmos DB, container ${JSON.stringify(`${database}/${container}`)}`, () => again(ask));
  }
}

/** Asks once more where a connection broke: all that is asked here may be told twice. */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === attempts || !['ECONNRESET', 'EPIPE'].includes(String(codeOf(error)))) throw error;
      await pause(Math.random() * 20 * 4 ** attempt);
    }
  }
}

/** @throws TactusError missing_package */
function load(): Promise<typeof Sdk> {
  return loadPackage(() => import('@azure/cosmos'), 'Cosmos DB needs a package: npm install @azure/cosmos');
}

/** What an answer is known by: a status of HTTP, which a second one may say more exactly, or what became of the connection. */
interface Answered {
  code?: number | string | undefined;
  substatus?: number | undefined;
}

function codeOf(error: unknown): number | string {
  return (error as Answered).code ?? '';
}

/** The item isn't there. With a second status it is the container that isn't, or nobody knows. */
function isMissing(error: unknown): boolean {
  return codeOf(error) === 404 && !((error as Answered).substatus ?? 0);
}

/** Its condition doesn't hold. 449: somebody else changes it at this very moment. */
function isRefused(error: unknown): boolean {
  return isMissing(error) || [409, 412, 449].includes(Number(codeOf(error)));
}

/**
 * Who asks: whoever has the account's key, in `COSMOS_KEY`, or else whom Microsoft Entra knows, found as its SDK does.
 * @throws TactusError missing_package
 */
async function cosmosCredentials(): Promise<Pick<CosmosClientOptions, 'key' | 'aadCredentials'>> {
  const key = process.env['COSMOS_KEY'] ?? '';
  if (key !== '') return { key };
  const { DefaultAzureCredential } = await loadIdentity();
  return { aadCredentials: new DefaultAzureCredential() };
}

/** @throws TactusError missing_package */
function loadIdentity(): Promise<typeof Identity> {
  return loadPackage(
    () => import('@azure/identity'),
    "Cosmos DB needs the account's key in COSMOS_KEY, or, for an identity of Microsoft Entra, a package: npm install @azure/identity",
  );
}

/** Where records are kept in Cosmos DB. */
export interface CosmosPlace {
  endpoint: string;
  /** Whether it is the account itself: a server that stands for it may say that it is reached elsewhere. */
  isAccount: boolean;
  database: string;
  container: string;
}
