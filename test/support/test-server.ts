import { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { TactusClient } from '../../src/client/tactus-client.js';
import { searchAttributeTypes } from '../../src/contract/names.js';
import { collectLogs, logged } from './collect-logs.js';
import { executablePaths } from './executable-paths.js';
import { ownedExecutable } from './owned-executable.js';

/** A Temporal server of one test file. */
export interface TestServer {
  env: TestWorkflowEnvironment;
  client: Client;
  tactus: TactusClient;
  /** What workers of this process logged, as warnings or errors. */
  logged: string[];
  stop(): Promise<void>;
}

export interface DevServerOptions {
  /** Of its command line. */
  extraArgs?: string[];
  /** Whether it knows our search attributes; left out: it does. */
  hasAttributes?: boolean;
  /** Where it listens; left out: at any port that is free. */
  port?: number;
}

/** Left to itself, the server lets a timer, a timeout and the pause before a retry wait for up to a second more. */
const promptTimers = ['--dynamic-config-value', 'history.timerProcessorMaxTimeShift="10ms"'];

/** The development server: all that a real one does, in real time. */
export async function startDevServer({
  extraArgs = [],
  hasAttributes = true,
  port,
}: DevServerOptions = {}): Promise<TestServer> {
  collectLogs();
  const searchAttributes = Object.entries(searchAttributeTypes).map(([name, type]) =>
    type === 'Keyword'
      ? defineSearchAttributeKey(name, SearchAttributeType.KEYWORD)
      : defineSearchAttributeKey(name, SearchAttributeType.KEYWORD_LIST),
  );
  const server = {
    executable: owned('temporal'),
    extraArgs: [...promptTimers, ...extraArgs],
    ...(port === undefined ? {} : { port }),
    ...(hasAttributes ? { searchAttributes } : {}),
  };
  return toServer(await TestWorkflowEnvironment.createLocal({ server }));
}

/** The server whose time is skipped while nothing runs. It lists nothing, and knows no search attributes. */
export async function startTimeSkippingServer(): Promise<TestServer> {
  collectLogs();
  const executable = owned('temporalTestServer');
  return toServer(await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } }));
}

/**
 * The same for runs side by side. Time is skipped from the beginning, and not for each wait for a result: several at once
 * would have it skipped past what workers are at.
 */
export async function startSkippingServer(): Promise<TestServer> {
  collectLogs();
  const server = { executable: owned('temporalTestServer'), extraArgs: ['--enable-time-skipping'] };
  const env = await TestWorkflowEnvironment.createTimeSkipping({ server });
  return toServer(env, new Client({ connection: env.connection }));
}

/** A server's program, which ends with the process of the tests. */
function owned(name: 'temporal' | 'temporalTestServer') {
  return { type: 'existing-path', path: ownedExecutable(executablePaths()[name]) } as const;
}

/** `HISTORY_EVENTS=15 npm test -- test/workflow`: runs continue as new after so many events, unless their test says otherwise. */
const { HISTORY_EVENTS: mostEvents } = process.env;
const shortHistories = mostEvents === undefined ? {} : { limits: { historyEvents: Number(mostEvents) } };

function toServer(env: TestWorkflowEnvironment, client: Client = env.client): TestServer {
  return {
    env,
    client,
    tactus: new TactusClient(client, shortHistories),
    logged,
    stop: () => env.teardown(),
  };
}
