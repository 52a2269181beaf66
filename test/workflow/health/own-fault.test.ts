import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workflowBundlePath } from '../../../src/worker/bundles/workflow-bundle.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;

beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

/** A worker of a deploy that has a fault in the workflow's code. */
async function faultyBundle(): Promise<string> {
  const code = await readFile(workflowBundlePath(), 'utf8');
  const turn = 'const turn = this.program.turn();';
  expect(code).toContain(turn);
  const path = join(temporaryFolder('faulty'), 'bundle.js');
  await writeFile(path, code.replaceAll(turn, `null.fault; ${turn}`));
  return path;
}

it('a fault of ours ends no run: the next deploy goes on with it', async () => {
  const workflowBundle = { codePath: await faultyBundle() };
  const faulty = await startWorker(server, { worker: { workflowBundle } });
  const run = await server.tactus.start(procedureOf('Sleep(0.01) return "done"'));
  const failed = async (): Promise<string[]> =>
    ((await run.handle.fetchHistory()).events ?? []).flatMap(
      ({ workflowTaskFailedEventAttributes: each }) => each?.failure?.message ?? [],
    );
  await waitUntil(async () => (await failed()).length > 0);
  expect(await failed()).toEqual([expect.stringContaining('null')]);
  expect((await run.handle.describe()).status.name).toBe('RUNNING');
  await faulty.stop();
  const mended = await startWorker(server);
  expect(await run.result()).toBe('done');
  await mended.stop();
});
