import type * as Sdk from '@aws-sdk/client-dynamodb';
import { TactusError } from '../../../contract/errors.js';

const longestWaitSeconds = 120;
const keys = [
  { AttributeName: 'pk', KeyType: 'HASH' },
  { AttributeName: 'sk', KeyType: 'RANGE' },
] as const;

/**
 * Makes a table where there is none, which is paid for by what is asked of it.
 * @throws TactusError usage where there is one of another kind
 */
export async function ensureTable(
  sdk: typeof Sdk,
  client: Sdk.DynamoDBClient,
  TableName: string,
): Promise<void> {
  const { CreateTableCommand, DescribeTableCommand, waitUntilTableExists } = sdk;
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const found = (Table?.KeySchema ?? []).map(({ AttributeName }) => AttributeName).join();
    if (found !== keys.map(({ AttributeName }) => AttributeName).join())
      throw new TactusError('usage', `The table ${TableName} is not a storage's: its key is ${found}`);
    if (Table?.TableStatus === 'ACTIVE') return;
  } catch (error) {
    // Whoever may not look may use it all the same.
    if (error instanceof Error && error.name === 'AccessDeniedException') return;
    if (!(error instanceof sdk.ResourceNotFoundException)) throw error;
    const make = new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [...keys],
      AttributeDefinitions: keys.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' })),
    });
    await client.send(make).catch((refusal: unknown) => {
      // Another one has begun to make it.
      if (!(refusal instanceof sdk.ResourceInUseException)) throw refusal;
    });
  }
  await waitUntilTableExists(
    { client, maxWaitTime: longestWaitSeconds, minDelay: 1, maxDelay: 5 },
    { TableName },
  );
}
