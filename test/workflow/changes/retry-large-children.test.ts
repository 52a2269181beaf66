import { writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { executionOf } from './rewinding.js';

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
  const filesRoot = temporaryFolder('large-children');
  await writeFile(join(filesRoot, 'noise.txt'), randomBytes(100_000).toString('base64'));
  worker = await startWorker(server, { activities: { filesRoot } });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

/** The child has a log that still has 2.2 MB when it is compressed. */
const source = (body: string, last: string): ProcedureSource =>
  procedureOf(body, {
    'child.tac': `Procedure { function(input)
      for i = 1, 22 do File.read("noise.txt") end
      ${last}
      return "read"
    end }`,
  });
const mend = 'checkpoint(function() end)';

async function failed(body: string): Promise<{ run: TactusRun; child: TactusRun }> {
  const run = await server.tactus.start(source(body, 'error("as wanted")'));
  await expect(run.result()).rejects.toThrow('as wanted');
  const child = server.tactus.attach(`${run.runId}/0`);
  expect((await child.packedCheckpoints()).length).toBe(0);
  return { run, child };
}

describe('a child run whose log is too large to be sent', () => {
  it('is called anew where somebody agrees to that, and is left alone else', async () => {
    const body = 'return Procedure.run("child.tac", {})';
    const { run, child } = await failed(body);
    const before = await Promise.all([executionOf(run), executionOf(child)]);
    await expect(server.tactus.retry(run.runId, { source: source(body, mend) })).rejects.toMatchObject({
      code: 'change_refused',
    });
    expect(await Promise.all([executionOf(run), executionOf(child)])).toEqual(before);
    const agreed = { source: source(body, mend), mayRepeat: true };
    const { plan } = await readRetry(run, agreed);
    expect(plan.children).toEqual([{ run_id: child.runId, becomes: 'started_anew' }]);
    await server.tactus.retry(run.runId, agreed);
    expect(await run.result()).toBe('read');
  });

  it('begins anew where it was spawned, and the plan says so', async () => {
    const body = 'local id = Procedure.spawn("child.tac", {}) return Procedure.wait(id)';
    const { run, child } = await failed(body);
    const { plan } = await readRetry(run, { source: source(body, mend) });
    expect(plan.children).toEqual([{ run_id: child.runId, becomes: 'started_anew' }]);
    expect(plan.again.filter(({ position }) => position.startsWith('0/'))).toHaveLength(22);
    await server.tactus.retry(run.runId, { source: source(body, mend) });
    expect(await run.result()).toBe('read');
  });
});

it('a run whose own log is too large is refused, and its child runs stay as they ended', async () => {
  const body = `for i = 1, 22 do File.read("noise.txt") end
    return Procedure.run("child.tac", {})`;
  const small = (last: string): ProcedureSource =>
    procedureOf(body, { 'child.tac': `Procedure { function(input) ${last} return "read" end }` });
  const run = await server.tactus.start(small('checkpoint(function() end) error("as wanted")'));
  await expect(run.result()).rejects.toThrow('as wanted');
  const child = server.tactus.attach(`${run.runId}/22`);
  const before = await executionOf(child);
  await expect(server.tactus.retry(run.runId, { source: small(mend) })).rejects.toMatchObject({
    code: 'payload_too_large',
  });
  expect(await executionOf(child)).toBe(before);
});
