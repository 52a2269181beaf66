import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const files = temporaryFolder('retry-children-in-time');

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startSkippingServer();
  worker = await startWorker(server, { activities: { filesRoot: files } });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

it('a child run that goes on again has its time anew, as the part that waits for it has', async () => {
  const run = await server.tactus.start(
    procedureOf(`return step("ask", function() return Procedure.run("child.tac") end, { deadline = "1h" })`, {
      'child.tac': 'Procedure { function() Sleep(600) return File.read("late.txt") end }',
    }),
  );
  await expect(run.result()).rejects.toMatchObject({ code: 'child_failed' });
  await (await server.tactus.start(procedureOf('Sleep(7200)'))).result();
  writeFileSync(join(files, 'late.txt'), 'late');
  const again = await server.tactus.retry(run.runId);
  expect(await again.result()).toBe('late');
  const child = await server.tactus.attach(`${run.runId}/0.1`).log();
  expect(child.execution_log.map(({ type }) => type)).toEqual(['sleep', 'file']);
});
