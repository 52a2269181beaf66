import { startCosmos } from '../../test/support/cosmos-server.js';
import { startDynamoDb } from '../../test/support/dynamodb-server.js';
import { startFirestore } from '../../test/support/firestore-server.js';
import { startPostgres } from '../../test/support/postgres-server.js';
import { startRedis } from '../../test/support/redis-server.js';
import { startS3 } from '../../test/support/s3-server.js';
import { removeFolders } from './after-all.js';

/** Starts the servers that storages are tested with, says their addresses as one line of JSON, and ends them when nobody listens any more. */
const postgres = await startPostgres();
await postgres.create('bench');
const [redis, dynamoDb, s3] = [await startRedis(1), await startDynamoDb(), await startS3()];
const [cosmos, firestore] = [await startCosmos(), await startFirestore()];

const addresses = [
  ...[postgres.address('bench'), redis.address(0), dynamoDb.address('bench'), s3.address('bench')],
  ...[cosmos.address('bench'), firestore.address('bench')],
];
console.log(JSON.stringify(addresses));

process.stdin.resume();
process.stdin.once('end', () => void end());

async function end(): Promise<void> {
  await Promise.all([postgres, redis, dynamoDb, s3, cosmos, firestore].map((server) => server.stop()));
  removeFolders();
  process.exit(0);
}
