import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { AttributeValue, QueryCommandInput, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { TactusError } from '../../../contract/errors.js';
import { eachLimit } from '../../concurrency.js';
import { compareIds, type CheckpointFilter } from '../storage-backend.js';
import { shortenedKey, type DocumentStore, type HeadOutcome, type NewHead } from './document-store.js';
import { ensureTable } from './dynamodb-table.js';
import { askStore, awsOptions, readStoreAddress, wasRepeated } from './store-requests.js';
import { loadPackage } from '../../../contract/load-package.js';

type Item = Record<string, AttributeValue>;

/** Why a head was not written: another is there, or another transaction has to do with it at this moment. */
interface Refusal {
  found: Item | null;
  wasRepeated: boolean;
}

/** An id is in the key by which lists are in order, which has so many bytes at most. */
const longestId = 1_024;
const longestStatus = 1_000;
const deletionsAtOnce = 8;
const part = 'part#';

/**
 * Documents in a table of DynamoDB, an item each. Which heads there are, all and by status, items say too: they are written in one
 * transaction with a head that comes, goes, or changes its status. All is read as it was last written.
 */
export class DynamoDbStore implements DocumentStore<NewHead> {
  readonly name = 'DynamoDB';
  // An item has 400 KB at most, with its keys; writes are paid for by KB.
  readonly limits = { largestPart: 390_000, largestTail: 4_096 };

  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.DynamoDBClient,
    private readonly table: string,
  ) {}

  /** @throws TactusError missing_package; usage where the address is none */
  static async open(address: string): Promise<DynamoDbStore> {
    const place = readStoreAddress(address, 'dynamodb:TABLE?region=REGION&endpoint=URL');
    const sdk = await load();
    return new DynamoDbStore(sdk, new sdk.DynamoDBClient(awsOptions(place)), place.name);
  }

  prepare(): Promise<void> {
    return this.#asking(() => ensureTable(this.sdk, this.client, this.table));
  }

  async readHead(procedureId: string): Promise<NewHead | null> {
    const item = await this.#item(keyOf(procedureId, 'head'));
    return item === undefined ? null : toHead(item);
  }

  async writeHead(procedureId: string, head: NewHead, before: NewHead | null): Promise<HeadOutcome> {
    const { version, status, text } = head;
    const Item = {
      ...keyOf(procedureId, 'head'),
      ...{ version: { S: version }, status: { S: status }, content: { S: text } },
    };
    const put = { TableName: this.table, Item, ...conditionOf(before) };
    const refusal =
      before?.status === status
        ? await this.#refusalOf(() => this.client.send(new this.sdk.PutItemCommand(put)))
        : await this.#transact([
            { Put: put },
            ...listsOf(procedureId, status).map((Key) => ({ Put: { TableName: this.table, Item: Key } })),
            ...(before === null ? [] : [this.#deletion(byStatus(procedureId, before.status))]),
          ]);
    // One that is ours was told twice, and once in vain.
    if (refusal === null || refusal.found?.['version']?.S === version) return 'done';
    return refusal.wasRepeated ? 'unknown' : 'overtaken';
  }

  async removeHead(procedureId: string, before: NewHead): Promise<boolean> {
    const Key = keyOf(procedureId, 'head');
    const refusal = await this.#transact([
      { Delete: { TableName: this.table, Key, ...conditionOf(before) } },
      ...listsOf(procedureId, before.status).map((each) => this.#deletion(each)),
    ]);
    return refusal === null || refusal.found === null;
  }

  async readPart(procedureId: string, name: string): Promise<Uint8Array | null> {
    return (await this.#item(keyOf(procedureId, part + name)))?.['content']?.B ?? null;
  }

  async readParts(procedureId: string): Promise<Map<string, Uint8Array>> {
    const items = await this.#query({ ...ownedBy(procedureId, 'begins_with(sk, :from)', { from: part }) });
    return new Map(items.map((item) => [nameOf(item), item['content']?.B ?? new Uint8Array()]));
  }

  async writePart(procedureId: string, name: string, content: Uint8Array): Promise<void> {
    const Item = { ...keyOf(procedureId, part + name), content: { B: content } };
    const put = new this.sdk.PutItemCommand({ TableName: this.table, Item });
    await this.#asking(() => this.client.send(put));
  }

  async partNames(procedureId: string, after: string): Promise<string[]> {
    // Names are ASCII: all of them are before this character.
    const bounds = { from: part + after, to: `${part}\u{7f}` };
    const asked = ownedBy(procedureId, 'sk BETWEEN :from AND :to', bounds);
    return (await this.#query({ ...asked, ProjectionExpression: 'sk' })).map(nameOf);
  }

  removeParts(procedureId: string, names: readonly string[]): Promise<void> {
    return eachLimit(names, deletionsAtOnce, async (name) => {
      const Key = keyOf(procedureId, part + name);
      const deletion = new this.sdk.DeleteItemCommand({ TableName: this.table, Key });
      await this.#asking(() => this.client.send(deletion));
    });
  }

  async list({ status, prefix = '', limit = Infinity, after = '' }: CheckpointFilter): Promise<string[]> {
    const isBehind = compareIds(after, prefix) > 0;
    if (isBehind && !after.startsWith(prefix)) return [];
    if (Buffer.byteLength(prefix) > longestId) return [];
    const list = status === undefined ? allIds : statusList(status);
    const condition = prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)';
    const asked: Omit<QueryCommandInput, 'TableName'> = {
      KeyConditionExpression: condition,
      ExpressionAttributeValues: {
        ':pk': { S: list },
        ...(prefix === '' ? {} : { ':prefix': { S: prefix } }),
      },
      ...(isBehind ? { ExclusiveStartKey: { pk: { S: list }, sk: { S: inKey(after) } } } : {}),
    };
    return (await this.#query(asked, limit)).map(({ sk }) => sk?.S ?? '');
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  async #item(Key: Item): Promise<Item | undefined> {
    const get = new this.sdk.GetItemCommand({ TableName: this.table, Key, ConsistentRead: true });
    return (await this.#asking(() => this.client.send(get))).Item;
  }

  /** All pages of it, or as many as it takes. */
  async #query(asked: Omit<QueryCommandInput, 'TableName'>, limit = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    let ExclusiveStartKey = asked.ExclusiveStartKey;
    do {
      const query = new this.sdk.QueryCommand({
        ...{ ...asked, TableName: this.table, ConsistentRead: true, ExclusiveStartKey },
        ...(limit === Infinity ? {} : { Limit: limit - items.length }),
      });
      const page = await this.#asking(() => this.client.send(query));
      items.push(...(page.Items ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined && items.length < limit);
    return items;
  }

  #deletion(Key: Item): TransactWriteItem {
    return { Delete: { TableName: this.table, Key } };
  }

  #transact(TransactItems: TransactWriteItem[]): Promise<Refusal | null> {
    const command = new this.sdk.TransactWriteItemsCommand({ TransactItems });
    return this.#refusalOf(() => this.client.send(command));
  }

  /** Null where it was done. */
  #refusalOf(ask: () => Promise<unknown>): Promise<Refusal | null> {
    return this.#asking(async () => {
      try {
        await ask();
        return null;
      } catch (error) {
        const found = this.#foundBy(error);
        if (found === undefined) throw error;
        return { found, wasRepeated: wasRepeated(error) };
      }
    });
  }

  /** What is there in place of what was expected, null where nothing is; undefined of an error of another kind. */
  #foundBy(error: unknown): Item | null | undefined {
    if (error instanceof this.sdk.ConditionalCheckFailedException) return error.Item ?? null;
    if (error instanceof this.sdk.TransactionConflictException) return {};
    if (!(error instanceof this.sdk.TransactionCanceledException)) return undefined;
    const reasons = (error.CancellationReasons ?? []).filter(({ Code }) => Code !== 'None');
    const codes = new Set(reasons.map(({ Code }) => Code));
    if (codes.has('TransactionConflict')) return {};
    return codes.size === 1 && codes.has('ConditionalCheckFailed') ? (reasons[0]?.Item ?? null) : undefined;
  }

  #asking<T>(ask: () => Promise<T>): Promise<T> {
    return askStore(`DynamoDB, table ${JSON.stringify(this.table)}`, ask);
  }
}

const allIds = 'ids';

/** The beginning of a text that fits into a key: no id that comes behind the text is before it. */
function inKey(text: string): string {
  const fitting = Buffer.from(text).subarray(0, longestId);
  return new TextDecoder().decode(fitting, { stream: true });
}

function statusList(status: string): string {
  return `status#${shortenedKey(status, longestStatus)}`;
}

function byStatus(procedureId: string, status: string): Item {
  return { pk: { S: statusList(status) }, sk: { S: procedureId } };
}

/** Where a head is listed. */
function listsOf(procedureId: string, status: string): Item[] {
  return [{ pk: { S: allIds }, sk: { S: procedureId } }, byStatus(procedureId, status)];
}

/** @throws TactusError usage of an id that is too long to be found by */
function keyOf(procedureId: string, sk: string): Item {
  if (Buffer.byteLength(procedureId) > longestId)
    throw new TactusError('usage', `a procedure id has ${longestId} bytes at most in DynamoDB`);
  return { pk: { S: `procedure#${procedureId}` }, sk: { S: sk } };
}

function ownedBy(
  procedureId: string,
  condition: string,
  values: Record<string, string>,
): Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues'> {
  const { pk = { S: '' } } = keyOf(procedureId, '');
  const named = Object.entries(values).map(([name, S]) => [`:${name}`, { S }] as const);
  return {
    KeyConditionExpression: `pk = :pk AND ${condition}`,
    ExpressionAttributeValues: { ':pk': pk, ...Object.fromEntries(named) },
  };
}

/** That a head is still the one that was read, or that there is none. What is there instead is told. */
function conditionOf(
  before: NewHead | null,
): Pick<
  Sdk.Put,
  | 'ConditionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
  | 'ReturnValuesOnConditionCheckFailure'
> {
  const told = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (before === null) return { ...told, ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ...told,
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': { S: before.version } },
  };
}

function toHead({ version, status, content }: Item): NewHead {
  return { version: version?.S ?? '', status: status?.S ?? '', text: content?.S ?? '' };
}

function nameOf({ sk }: Item): string {
  return (sk?.S ?? '').slice(part.length);
}

/** @throws TactusError missing_package */
function load(): Promise<typeof Sdk> {
  return loadPackage(
    () => import('@aws-sdk/client-dynamodb'),
    'DynamoDB needs a package: npm install @aws-sdk/client-dynamodb',
  );
}
