import { expect, it } from 'vitest';
import { retryRuns, rewindRuns, type ChangedRun } from '../../../src/client/changes/failed-runs.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { waitUntil } from '../../support/wait-until.js';
import { serverWithShop } from './changed-procedures.js';

const around = serverWithShop();

/** Runs of a procedure of this name that have failed at their second request. */
async function failed(name: string, count: number, method = 'get'): Promise<TactusRun[]> {
  const entry = `${name}.tac`;
  const text = `Procedure { input = { shop = field.string {}, n = field.integer {} }, function(input)
    http_client.get(input.shop .. "/first" .. input.n)
    return http_client.${method}(input.shop .. "/second" .. input.n).json.path
  end }`;
  around.fails = ({ path }) => path.startsWith('/second');
  const runs = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      around.server.tactus.start({ entry, files: { [entry]: text } }, { shop: around.shop.url, n }),
    ),
  );
  for (const run of runs) await expect(run.result()).rejects.toMatchObject({ code: 'http_failed' });
  await waitUntil(async () => {
    const { runs: found } = await around.server.tactus.list({
      ...{ procedure: name, status: 'failed', limit: 100 },
    });
    return found.length === count;
  });
  around.fails = () => false;
  around.shop.requests.length = 0;
  return runs;
}

const pathsOf = (): string[] => around.shop.requests.map(({ path }) => path).sort();

it('tries many again, so many at a time, and never one twice', async () => {
  const runs = await failed('many', 24);
  const planned = await retryRuns(around.server.tactus, { procedure: 'many' }, { dryRun: true });
  expect(planned).toHaveLength(24);
  const parts = ['at', 'message', 'moved', 'plan', 'run_id', 'verdict'];
  for (const each of planned) expect(Object.keys(each).sort()).toEqual(parts);
  expect(planned.every(({ verdict, moved, at }) => verdict === 'fits' && !moved && at === '1')).toBe(true);
  expect(pathsOf()).toEqual([]);
  const told: ChangedRun[] = [];
  const first = await retryRuns(
    around.server.tactus,
    { procedure: 'many' },
    { limit: 10, onChanged: (run) => told.push(run) },
  );
  expect(first.filter(({ moved }) => moved)).toHaveLength(10);
  expect(told).toEqual(first);
  const rest = await retryRuns(around.server.tactus, { procedure: 'many' });
  expect(rest.filter(({ moved }) => moved)).toHaveLength(14);
  expect(new Set([...first, ...rest].map(({ run_id: id }) => id)).size).toBe(24);
  const outputs = await Promise.all(runs.map((run) => run.result()));
  expect(outputs).toEqual(runs.map((_, n) => `/second${n}`));
  expect(pathsOf()).toEqual([...(outputs as string[])].sort());
  expect(await retryRuns(around.server.tactus, { procedure: 'many' })).toEqual([]);
});

it('leaves those alone that would do a second time what may be done once only', async () => {
  const [run] = await failed('pays', 1, 'post');
  const refused = await rewindRuns(around.server.tactus, { procedure: 'pays' }, { at: '0' });
  expect(refused).toMatchObject([{ run_id: run?.runId, verdict: 'repeats', moved: false, at: '0' }]);
  expect(await retryRuns(around.server.tactus, { procedure: 'pays' })).toMatchObject([
    { verdict: 'repeats', moved: false },
  ]);
  expect(pathsOf()).toEqual([]);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expect(await retryRuns(around.server.tactus, { procedure: 'pays', since: later })).toEqual([]);
  const agreed = { at: '0', mayRepeat: true };
  expect(await rewindRuns(around.server.tactus, { procedure: 'pays' }, agreed)).toMatchObject([
    { verdict: 'fits', moved: true },
  ]);
  expect(await run?.result()).toBe('/second0');
  expect(pathsOf()).toEqual(['/first0', '/second0']);
});

/** A run that has failed by its child run, of procedures of these names. */
async function failedByChild(above: string, below: string): Promise<{ run: TactusRun; child: string }> {
  const files = {
    [`${above}.tac`]: `Procedure { input = { shop = field.string {} }, function(input)
      return Procedure.run("${below}.tac", { shop = input.shop })
    end }`,
    [`${below}.tac`]: `Procedure { input = { shop = field.string {} }, function(input)
      http_client.get(input.shop .. "/price")
      return http_client.get(input.shop .. "/stock").json.path
    end }`,
  };
  around.fails = ({ path }) => path === '/stock';
  const { tactus } = around.server;
  const run = await tactus.start({ entry: `${above}.tac`, files }, { shop: around.shop.url });
  await expect(run.result()).rejects.toMatchObject({ code: 'child_failed' });
  around.fails = () => false;
  const child = `${run.runId}/0`;
  await waitUntil(async () => {
    const { runs } = await tactus.list({ status: 'failed', limit: 100 });
    return [run.runId, child].every((id) => runs.some(({ run_id: found }) => found === id));
  });
  around.shop.requests.length = 0;
  return { run, child };
}

it('tries a child run again with the run that it has made fail, and alone where that is none of them', async () => {
  const { tactus } = around.server;
  const { run, child: below } = await failedByChild('above', 'below');
  expect(await retryRuns(tactus, { procedure: 'below' }, { dryRun: true })).toMatchObject([
    { run_id: below, verdict: 'fits', at: '1' },
  ]);
  const told = await retryRuns(tactus, {});
  expect(told.map(({ run_id: id }) => id)).not.toContain(below);
  expect(told).toContainEqual(expect.objectContaining({ run_id: run.runId, verdict: 'fits', moved: true }));
  expect(await run.result()).toBe('/stock');
  expect(pathsOf()).toEqual(['/stock']);
});

it('makes a child run go back with the run that it has made fail, and alone where that is none of them', async () => {
  const { tactus } = around.server;
  const { run, child } = await failedByChild('outer', 'inner');
  expect(await rewindRuns(tactus, { procedure: 'inner' }, { at: '1', dryRun: true })).toMatchObject([
    { run_id: child, verdict: 'fits', at: '1' },
  ]);
  const told = await rewindRuns(tactus, {}, { at: '0', mayRepeat: true });
  expect(told.map(({ run_id: id }) => id)).not.toContain(child);
  expect(told).toContainEqual(expect.objectContaining({ run_id: run.runId, verdict: 'fits', moved: true }));
  expect(await run.result()).toBe('/stock');
  expect(pathsOf()).toEqual(['/price', '/stock']);
});
