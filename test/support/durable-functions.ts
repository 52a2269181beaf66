import {
  withDurableExecution,
  type DurableExecutionHandler,
  type DurableLambdaHandler,
} from '@aws/durable-execution-sdk-js';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonValue } from '../../src/contract/json/json.js';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { awsCredentials } from './aws-credentials.js';
import { executablePaths } from './executable-paths.js';
import { waitUntil } from './wait-until.js';

/** Amazon's own local runner of durable functions; the functions, in its SDK for JavaScript, run in the process of the test. */
export interface TestDurableFunctions {
  endpoint: string;
  /** Of the storage of a function. */
  address(functionName: string): string;
  /** What a function does; another one in place of it from now on. */
  serve<I>(functionName: string, handler: DurableExecutionHandler<I, unknown>): void;
  /** Begins an execution; gives its ARN, which is none here but serves as one. */
  start(functionName: string, name: string, options?: StartOptions): Promise<string>;
  /** How often a function was called. */
  calls(functionName: string): number;
  stop(): Promise<void>;
}

interface StartOptions {
  input?: JsonValue;
  timeoutSeconds?: number;
}

/** Whether there is one here. `LAMBDA_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasDurableFunctions =
  process.env['LAMBDA_TEST'] === 'required' || (executablePaths().durableFunctions ?? null) !== null;

/** On a machine that does much else. */
const patienceMs = 60_000;
const region = 'eu-west-1';

/** @throws Error where the set-up got none */
export async function startDurableFunctions(): Promise<TestDurableFunctions> {
  const program = executablePaths().durableFunctions ?? null;
  if (program === null)
    throw new Error(
      'There is no runner of durable functions here: `npm test` fetches it where there is a Python',
    );
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const [accessKeyId, secretAccessKey] = Object.values(awsCredentials) as [string, string];
  const client = new LambdaClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } });
  const functions = new Map<string, DurableLambdaHandler>();
  const calls = new Map<string, number>();

  // What is asked of Lambda to call a function.
  const lambda = createServer((request, response) => {
    void (async () => {
      const name = decodeURIComponent(/\/functions\/([^/]+)\/invocations/.exec(request.url ?? '')?.[1] ?? '');
      calls.set(name, (calls.get(name) ?? 0) + 1);
      const answer = await called(functions.get(name), request);
      response.writeHead(200, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.payload));
    })();
  });
  await new Promise<void>((resolve) => void lambda.listen(0, '127.0.0.1', resolve));
  const lambdaEndpoint = `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`;

  const main = ['-m', 'aws_durable_execution_sdk_python_testing.cli', 'start-server', '--host', '127.0.0.1'];
  const places = [
    '--port',
    String(port),
    '--lambda-endpoint',
    lambdaEndpoint,
    '--local-runner-endpoint',
    endpoint,
  ];
  const runner = spawn(
    program.python,
    [...main, ...places, '--local-runner-region', region, '--log-level', 'ERROR'],
    { stdio: 'ignore', env: { PYTHONPATH: program.packages, PYTHONNOUSERSITE: '1', ...awsCredentials } },
  );
  const ended = once(runner, 'exit');
  await waitUntil(async () => (await fetch(`${endpoint}/health`)).ok, patienceMs);

  return {
    endpoint,
    address: (name) => `lambda:${name}?region=${region}&endpoint=${endpoint}`,
    serve: (name, handler) => void functions.set(name, withDurableExecution(handler, { client })),
    start: async (FunctionName, ExecutionName, { input = {}, timeoutSeconds = 600 } = {}) => {
      const started = await fetch(`${endpoint}/start-durable-execution`, {
        method: 'POST',
        body: JSON.stringify({
          ...{ AccountId: '123456789012', FunctionName, FunctionQualifier: '$LATEST', ExecutionName },
          ...{ ExecutionTimeoutSeconds: timeoutSeconds, ExecutionRetentionPeriodDays: 1 },
          Input: JSON.stringify(input),
        }),
      });
      const answer = (await started.json()) as { ExecutionArn?: string };
      if (answer.ExecutionArn === undefined) throw new Error(JSON.stringify(answer));
      return answer.ExecutionArn;
    },
    calls: (name) => calls.get(name) ?? 0,
    stop: async () => {
      client.destroy();
      lambda.closeAllConnections();
      lambda.close();
      runner.kill('SIGKILL');
      await ended;
    },
  };
}

async function called(
  handler: DurableLambdaHandler | undefined,
  request: IncomingMessage,
): Promise<{ headers: Record<string, string>; payload: unknown }> {
  try {
    if (handler === undefined) throw new Error(`There is no function at ${request.url}`);
    const event = JSON.parse(await text(request)) as Parameters<DurableLambdaHandler>[0];
    const context = { awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => 900_000 };
    const payload = await handler(event, context as Parameters<DurableLambdaHandler>[1]);
    return { headers: {}, payload };
  } catch (error) {
    const { name: errorType, message: errorMessage } = error as Error;
    return { headers: { 'x-amz-function-error': 'Unhandled' }, payload: { errorType, errorMessage } };
  }
}
