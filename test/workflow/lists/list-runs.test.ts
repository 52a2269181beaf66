import { expect, it } from 'vitest';
import { listRuns } from '../../../src/client/lists/list-runs.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);

async function idsOf(limit: number, after?: string): Promise<{ ids: string[]; next: string | null }> {
  const { runs, next } = await listRuns(server.client, { limit, after });
  return { ids: runs.map(({ run_id }) => run_id), next };
}

it('runs are listed by their start, the newest first, whatever has become of them, in pages', async () => {
  const ids = ['a-open', 'b-closed', 'c-open', 'd-closed', 'e-continued'];
  for (const runId of ids) {
    const body = runId.endsWith('open')
      ? 'return Human.approve("Go?")'
      : runId.endsWith('continued')
        ? 'for i = 1, 3 do Sleep(0.01) end return 1'
        : 'return 1';
    const limits = runId.endsWith('continued') ? { historyEvents: 10 } : {};
    const run = await server.tactus.start(procedureOf(body), {}, { runId, limits });
    if (!runId.endsWith('open')) await run.result();
  }
  const newest = [...ids].reverse();
  await waitUntil(async () => (await idsOf(10)).ids.length === ids.length);
  expect(await idsOf(10)).toEqual({ ids: newest, next: null });
  const found: string[] = [];
  let next: string | null | undefined;
  do {
    const page = await idsOf(2, next ?? undefined);
    found.push(...page.ids);
    ({ next } = page);
  } while (next !== null);
  expect(found).toEqual(newest);
  await expect(idsOf(2, 'nonsense')).rejects.toMatchObject({ code: 'usage' });
});
