import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Priority } from '@temporalio/common';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';

/** Over HTTP and by the command line, a start says whose the run is. */
let server: TestServer;
let folder: CliFolder;
let api: ApiServer;
beforeAll(async () => {
  server = await startDevServer();
  folder = cliFolder({ TEMPORAL_ADDRESS: server.env.address });
  folder.write('one.tac', 'Procedure { function() return 1 end }');
  api = await startApi(server.tactus, folder.path);
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
});

const priorityOf = async (runId: string): Promise<Priority | undefined> =>
  (await server.client.workflow.getHandle(runId).describe()).priority;

it('a start over HTTP', async () => {
  const start = (run: string, priority: unknown) =>
    api.post('/namespaces/default/runs', { procedure: 'one', run_id: run, priority });
  const given = { priority_key: 1, fairness_key: 'tenant-a', fairness_weight: 0.5 };
  expect((await start('http', given)).status).toBe(201);
  expect(await priorityOf('http')).toMatchObject({
    priorityKey: 1,
    fairnessKey: 'tenant-a',
    fairnessWeight: 0.5,
  });
  for (const wrong of [
    { priority_key: 0 },
    { fairness_key: 'ä'.repeat(40) },
    { fairness_weight: 5_000 },
    { tenant: 'a' },
  ])
    expect((await start('wrong', wrong)).status, JSON.stringify(wrong)).toBe(400);
  await expect(priorityOf('wrong')).rejects.toThrow(/not found/);
});

it('a start by the command line', async () => {
  const flags = ['--priority-key', '2', '--fairness-key', 'tenant-b', '--fairness-weight', '3'];
  const started = await folder.runHere(['start', 'one.tac', '--id', 'cli', ...flags]);
  expect(started.code, started.stderr).toBe(0);
  expect(await priorityOf('cli')).toMatchObject({
    priorityKey: 2,
    fairnessKey: 'tenant-b',
    fairnessWeight: 3,
  });
  for (const [flag, value] of [
    ['--priority-key', 'first'],
    ['--priority-key', '1.5'],
    ['--fairness-weight', '-1'],
    ['--fairness-key', ''],
  ] as const) {
    const refused = await folder.runHere(['start', 'one.tac', '--id', 'refused', flag, value, '--json']);
    expect([flag, value, refused.code]).toEqual([flag, value, 2]);
    expect(refused.json()).toMatchObject({ error: { code: 'usage' } });
  }
  await expect(priorityOf('refused')).rejects.toThrow(/not found/);
});
