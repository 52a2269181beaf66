import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import type { RunCountFilter } from '../../../src/read-model/run-index.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { codeBlocks } from '../../support/code-blocks.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** Runs are found and counted on a server that at first knows nothing of us. */

let server: TestServer;
let worker: TestWorker;
let folder: CliFolder;

beforeAll(async () => {
  server = await startDevServer({ hasAttributes: false });
  worker = await startWorker(server);
  folder = cliFolder({ TEMPORAL_ADDRESS: server.env.address });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

const json = async (...args: string[]): Promise<JsonObject> =>
  (await folder.runHere([...args, '--json'])).json();

const attributes = async (...flags: string[]): Promise<JsonObject | undefined> =>
  ((await json('doctor', ...flags))['checks'] as JsonObject[]).find(
    ({ name }) => name === 'search attributes',
  );

it('doctor says what the namespace lacks, and registers it where it is told to', async () => {
  expect(await attributes()).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining(
      'TactusProcedure, TactusStatus, TactusLabels, TactusForkedFrom missing',
    ) as string,
    advice: expect.stringContaining('search-attribute create') as string,
  });
  expect(await attributes('--fix')).toMatchObject({ status: 'ok', advice: null });
  await waitUntil(async () => (await attributes())?.['status'] === 'ok');
});

it('counts runs by how they stand, and lists those that a filter leaves', async () => {
  const since = new Date().toISOString();
  // This one asks the namespace anew.
  const tactus = new TactusClient(server.client);
  const start = async (entry: string, body: string, ids: string[]): Promise<void> => {
    const source = { entry, files: { [entry]: `function main() ${body} end` } };
    for (const runId of ids) await tactus.start(source, {}, { runId });
  };
  await start('ask.tac', 'return Human.approve("Sure?")', ['a-1', 'a-2']);
  await start('fail.tac', 'error("on purpose")', ['f-1']);
  await start('sleep.tac', 'Sleep("1h")', ['s-1']);

  const all = { waiting_for_human: 2, waiting_for_time: 1, failed: 1 };
  const count = (filter: RunCountFilter = {}): Promise<unknown> => tactus.count(filter);
  await waitUntil(async () => {
    const found = await tactus.count();
    return JSON.stringify(found.by_status) === JSON.stringify(all);
  });
  expect(await count()).toEqual({ runs: 4, by_status: all });
  expect(await count({ isOpen: true })).toEqual({
    runs: 3,
    by_status: { waiting_for_human: 2, waiting_for_time: 1 },
  });
  expect(await count({ procedure: 'ask' })).toEqual({ runs: 2, by_status: { waiting_for_human: 2 } });
  expect(await count({ status: 'failed' })).toEqual({ runs: 1, by_status: { failed: 1 } });
  expect(await count({ since, prefix: 's-' })).toEqual({ runs: 1, by_status: { waiting_for_time: 1 } });
  expect(await count({ until: since })).toEqual({ runs: 0, by_status: {} });

  expect((await folder.runHere(['count'])).stdout).toBe(
    'waiting_for_human     2\nwaiting_for_time      1\nfailed                1\nin all                4\n',
  );
  expect(await json('count', '--since', since, '--status', 'failed')).toEqual({
    runs: 1,
    by_status: { failed: 1 },
  });
  expect(await json('count', '--since', '0s')).toEqual({ runs: 0, by_status: {} });
  const { runs } = await json('list', '--open', '--since', '1h', '--prefix', 'a-');
  expect((runs as JsonObject[]).map(({ run_id }) => run_id).sort()).toEqual(['a-1', 'a-2']);
  expect(await folder.runHere(['count', '--since', 'yesterday'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('2026-11-01') as string,
  });

  await tactus.attach('s-1').terminate();
  await waitUntil(async () => (await tactus.count()).by_status.terminated === 1);
});

it('the server takes every query that the page shows', async () => {
  const queries = codeBlocks('docs/visibility.md', 'sql');
  expect(queries.length).toBeGreaterThan(5);
  for (const query of queries)
    await server.client.workflowService.countWorkflowExecutions({
      namespace: 'default',
      query: query.trim(),
    });
  const [waiting = ''] = queries;
  const later = waiting.replace(/StartTime < '[^']*'/, `StartTime < '${new Date().toISOString()}'`);
  const { count } = await server.client.workflowService.countWorkflowExecutions({
    namespace: 'default',
    query: later.trim(),
  });
  expect(Number(count)).toBe(2);
});
