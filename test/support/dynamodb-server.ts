import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { startJava } from './java-server.js';
import { waitUntil } from './wait-until.js';

/** Amazon's own DynamoDB Local, which forgets all when it is stopped. */
export interface TestDynamoDb {
  endpoint: string;
  /** Of a storage in a table, by another way where one is named. */
  address(table: string, by?: string): string;
  stop(): Promise<void>;
}

/** Whether there is one here. `DYNAMODB_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasDynamoDb =
  process.env['DYNAMODB_TEST'] === 'required' || (executablePaths().dynamoDb ?? null) !== null;

/** On a machine that does much else. */
const patienceMs = 60_000;

/** @throws Error where the set-up got none */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const program = executablePaths().dynamoDb ?? null;
  if (program === null) throw new Error('There is no DynamoDB here: `npm test` fetches one for Linux on x64');
  const port = await freePort();
  const main = [
    'software.amazon.dynamodb.services.local.main.ServerRunner',
    '-inMemory',
    '-port',
    String(port),
  ];
  const stop = startJava(program, [...main, '-disableTelemetry']);
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntil(() => fetch(endpoint), patienceMs);
  return {
    endpoint,
    address: (table, by = endpoint) => `dynamodb:${table}?region=eu-west-1&endpoint=${by}`,
    stop,
  };
}
