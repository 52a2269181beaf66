import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';

/** `list` and `pending` read what workers have written, and find out what is missing from it. */

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write('ask.tac', 'function main() return Human.approve("Sure?") end');
  folder.write(
    'soon.tac',
    'function main() return Human.approve{ message = "Soon?", timeout = 2, default = false } end',
  );
});
afterAll(() => folder?.close());

async function json(args: string[], code = 0): Promise<JsonObject> {
  const ended = await folder.runHere([...args, '--json']);
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
  return ended.json();
}

async function asked(...flags: string[]): Promise<{ source: unknown; ids: string[] }> {
  const { source, pending } = await json(['pending', ...flags]);
  return { source, ids: (pending as { id: string }[]).map(({ id }) => id).sort() };
}

async function listed(...flags: string[]): Promise<Record<string, JsonObject>> {
  const { runs } = await json(['list', ...flags]);
  return Object.fromEntries((runs as { run_id: string }[]).map((run) => [run.run_id, run]));
}

it('gives the same from the index as from the runs', async () => {
  for (const id of ['one', 'two']) await json(['run', 'ask.tac', '--id', id], 3);
  await json(['respond', 'two/0', 'y']);
  await json(['resume', 'two']);
  const fromIndex = await json(['pending', '--details']);
  const fromRuns = await json(['pending', '--details', '--fresh']);
  const shown = ({ pending }: JsonObject): unknown =>
    (pending as JsonObject[]).map(({ age_seconds: _, ...request }) => request);
  expect([fromIndex['source'], fromRuns['source']]).toEqual(['index', 'runs']);
  expect(shown(fromIndex)).toEqual(shown(fromRuns));
  const [runs, fresh] = [await listed(), await listed('--fresh')];
  for (const id of ['one', 'two']) {
    const {
      printed: _,
      logs: _l,
      warnings: _w,
      shown_from: _s,
      pending_whole: _p,
      version: _v,
      authority: _a,
      ...rest
    } = fresh[id] ?? {};
    expect(runs[id]).toEqual({ ...rest, started_at: expect.any(String) as string });
  }
});

it('has what the runs of a killed worker ask', async () => {
  const worker = folder.start(['worker']);
  await new Promise<void>((works) => {
    worker.stderr?.on('data', (data: Buffer) => {
      if (data.toString().includes('Working for')) works();
    });
  });
  await json(['start', 'ask.tac', '--id', 'three']);
  await waitUntil(async () => (await asked('--fresh')).ids.includes('three/0'));
  const index = await openRunIndex(join(folder.path, '.tactus-temporal', 'index.sqlite'));
  await waitUntil(async () => (await index.find(['three']))[0]?.length !== 0);
  // It takes with it what it hasn't written: as if it had been this.
  await index.forget(['three']);
  worker.kill('SIGKILL');
  expect(await json(['index', 'status'])).toMatchObject({ lost: 1 });
  expect(await asked()).toEqual({ source: 'index', ids: ['one/0', 'three/0'] });
  expect(await json(['index', 'status'])).toMatchObject({ lost: 0, unsure: 0, requests: 2 });
  await index.close();
});

it('knows of an end that no worker saw', async () => {
  await json(['terminate', 'three']);
  expect((await folder.runHere(['list'])).stdout).toMatch(/^three +terminated/m);
  expect((await listed())['three']).toMatchObject({ status: 'terminated', pending: [], stuck: null });
  expect(await asked()).toEqual({ source: 'index', ids: ['one/0'] });
});

it('asks a run again whose request is past its deadline', async () => {
  await json(['start', 'soon.tac', '--id', 'soon']);
  expect((await asked()).ids).toContain('soon/0');
  await waitUntil(async () => !(await asked()).ids.includes('soon/0'));
});

it('is made anew where it is lost, or as it is told', async () => {
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(folder.path, '.tactus-temporal', `index.sqlite${suffix}`), { force: true });
  expect(await asked()).toEqual({ source: 'index', ids: ['one/0'] });
  expect(await json(['index', 'rebuild'])).toMatchObject({ runs: 4, asked: 1 });
  expect((await folder.runHere(['index', 'status'])).stdout).toMatch(/^4 runs, 1 open requests\nas of /);
});

it('labels of the start are found in the index and without it, counted and shown', async () => {
  folder.write('label.tac', 'function main() Procedure.label("step", "two") return 1 end');
  await json(['run', 'label.tac', '--id', 'with', '--label', 'team=crm', '--label', 'note=a=b']);
  await json(['run', 'label.tac', '--id', 'without']);
  const labels = { note: 'a=b', step: 'two', team: 'crm' };
  expect(await json(['status', 'with'])).toMatchObject({ labels });
  for (const how of [[], ['--fresh']]) {
    await waitUntil(async () => Object.keys(await listed('--label', 'team=crm', ...how)).length === 1);
    expect(await listed('--label', 'team=crm', '--label', 'note=a=b', ...how)).toMatchObject({
      with: { labels },
    });
    expect(Object.keys(await listed('--label', 'step=two', ...how)).sort()).toEqual(['with', 'without']);
    expect(await listed('--label', 'team=ops', ...how)).toEqual({});
  }
  expect(await json(['count', '--label', 'team=crm'])).toMatchObject({ runs: 1 });
  expect((await folder.runHere(['list', '--label', 'team=crm'])).stdout).toContain(
    'note=a=b, step=two, team=crm',
  );
  for (const wrong of ['team', '=crm', 'no key=x', 'team='])
    expect((await folder.runHere(['start', 'label.tac', '--id', 'wrong', '--label', wrong])).code).toBe(2);
  expect((await folder.runHere(['status', 'wrong'])).code).not.toBe(0);
});

it('forks of a run are found in the index and without it, counted and shown', async () => {
  folder.write('once.tac', 'function main() return checkpoint(function() return 1 end) end');
  await json(['run', 'once.tac', '--id', 'whole']);
  await json(['fork', 'whole', '--at', '0', '--id', 'fork', '--set', '2']);
  await json(['resume', 'fork']);
  const fork = { forked_from: { run_id: 'whole', at: '0' } };
  expect(await json(['status', 'fork'])).toMatchObject(fork);
  expect((await folder.runHere(['status', 'fork'])).stdout).toContain('forked from whole at 0');
  for (const how of [[], ['--fresh']]) {
    await waitUntil(async () => Object.keys(await listed('--forked-from', 'whole', ...how)).length === 1);
    expect(await listed('--forked-from', 'whole', ...how)).toMatchObject({ fork });
    expect(await listed('--forked-from', 'fork', ...how)).toEqual({});
  }
  expect(await json(['count', '--forked-from', 'whole'])).toMatchObject({ runs: 1 });
  expect((await folder.runHere(['list', '--forked-from', 'whole'])).stdout).toContain(
    'forked from whole at 0',
  );
});

it('asks the runs where it cannot be used', async () => {
  const env = { TACTUS_TEMPORAL_INDEX: 'postgres://nobody@127.0.0.1:9/none' };
  const ended = await folder.runHere(['pending', '--json'], { env });
  expect(ended.json()).toMatchObject({ source: 'runs', pending: [{ id: 'one/0' }] });
  expect(ended.stderr).toMatch(/^The index can't be used \(.*9.*\): the runs are asked$/m);
});

it('is where the configuration says, and refuses the runs of another server', async () => {
  folder.write('.tactus/config.yml', 'index: named.sqlite\n');
  expect(await asked()).toEqual({ source: 'index', ids: ['one/0'] });
  const named = await openRunIndex(join(folder.path, 'named.sqlite'));
  expect(await named.counts()).toMatchObject({ requests: 1 });
  await named.clear();
  await named.claim('elsewhere default');
  await named.close();
  expect((await json(['pending'], 2))['error']).toMatchObject({ code: 'config_invalid' });
});
