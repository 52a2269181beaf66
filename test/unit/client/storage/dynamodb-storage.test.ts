import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DynamoDbStore } from '../../../../src/client/storage/documents/dynamodb-store.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { awsCredentials } from '../../../support/aws-credentials.js';
import { hasDynamoDb, startDynamoDb, type TestDynamoDb } from '../../../support/dynamodb-server.js';
import { isWhole } from '../../../support/sampled.js';
import { damagedHead } from './document-suite/damaged-head.js';
import { describeDocumentStore } from './document-suite/document-store.suite.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { newPlace } from './storage-suite/tested-backend.js';

describe.skipIf(!hasDynamoDb)('with DynamoDB Local', () => {
  let server: TestDynamoDb;
  let client: DynamoDBClient;

  beforeAll(async () => {
    for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    server = await startDynamoDb();
    client = new DynamoDBClient({ endpoint: server.endpoint, region: 'eu-west-1' });
  }, 60_000);
  afterAll(async () => {
    client?.destroy();
    await server?.stop();
    vi.unstubAllEnvs();
  });

  /** A place is a table. */
  const open = (place: string) => openStorage(server.address(place));
  const headOf = (id: string) => ({ pk: { S: `procedure#${id}` }, sk: { S: 'head' } });

  async function item(TableName: string, id: string): Promise<Record<string, AttributeValue>> {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: headOf(id) }));
    return Item ?? {};
  }

  describeDocumentStore({
    name: 'DynamoDB',
    open: (place, endpoint) => DynamoDbStore.open(server.address(place, endpoint)),
    endpoint: () => server.endpoint,
    isHead: ({ headers }, body) =>
      headers['x-amz-target'] === 'DynamoDB_20120810.PutItem' && body.includes('ConditionExpression'),
    count: async (TableName) =>
      (await client.send(new ScanCommand({ TableName, Select: 'COUNT' }))).Count ?? 0,
  });

  describeStorageBackend({
    name: 'DynamoDB',
    real: 'DynamoDB Local 3.3',
    many: isWhole ? 100_000 : 500,
    open,
    damage: async (place, id, what) => {
      const found = await item(place, id);
      const content = { S: damagedHead(found['content']?.S ?? '', what) };
      await client.send(new PutItemCommand({ TableName: place, Item: { ...found, content } }));
    },
    kept: async (place, id) => JSON.stringify(await item(place, id)),
  });

  it('makes its table, whoever comes first', async () => {
    const place = newPlace();
    const storages = await Promise.all([open(place), open(place), open(place)]);
    await Promise.all(storages.map(async (storage, i) => storage.stateSet(`run-${i}`, 'a', i)));
    expect(await storages[0]?.listCheckpoints()).toEqual(['run-0', 'run-1', 'run-2']);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: place }));
    expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
    for (const storage of storages) await storage.close?.();
  });

  it('leaves a table of another kind alone', async () => {
    const TableName = newPlace();
    await client.send(
      new CreateTableCommand({
        ...{ TableName, BillingMode: 'PAY_PER_REQUEST' },
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    );
    const storage = await open(TableName);
    await expect((async () => storage.stateSet('run-1', 'a', 1))()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining("not a storage's: its key is id") as string,
    });
    await storage.close?.();
  });
});

/** DynamoDB Local refuses nobody: what a service says that does is said by a stand-in. */
describe('what DynamoDB refuses', () => {
  it.each([
    ['UnrecognizedClientException', 'The credentials are not taken'],
    ['AccessDeniedException', 'Whoever asks is not allowed to'],
    ['ThrottlingException', 'It is asked more than it allows'],
    ['ProvisionedThroughputExceededException', 'It is asked more than it allows'],
  ])('%s, is told as what it is', async (name, told) => {
    for (const [variable, value] of Object.entries(awsCredentials)) vi.stubEnv(variable, value);
    const server = createServer((request, response) => {
      // Whoever may not look whether there is a table may use it all the same: the next question is refused as well.
      request.resume().on('end', () => {
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no' }));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const storage = await openStorage(`dynamodb:storage?region=eu-west-1&endpoint=${endpoint}`);
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining(`DynamoDB, table "storage": ${told}`) as string,
    });
    await storage.close?.();
  });

  it('an address that is none, or has credentials, which nobody is told', async () => {
    for (const address of [
      ...['dynamodb:', 'dynamodb:x', 'dynamodb:a b', 'dynamodb:table?secret=1'],
      ...['dynamodb:table?endpoint=ftp://x', 'dynamodb:table?endpoint=http://user:secret@host'],
    ]) {
      const refused = openStorage(address);
      await expect(refused).rejects.toMatchObject({ code: 'usage' });
      await expect(refused).rejects.not.toThrow(/secret/);
    }
  });
});
