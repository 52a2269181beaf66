import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import type { RunIndex } from '../../../src/read-model/run-index.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { runIndexSuite } from './run-index.suite.js';
import { aToldRun } from '../../support/told-run.js';

let path = '';
const open = (): Promise<RunIndex> => openRunIndex(path);

runIndexSuite(
  'an index in a file',
  () => {
    path = join(temporaryFolder('index'), 'deeper', 'index.sqlite');
    return open();
  },
  open,
);

async function withSchema(version: number): Promise<RunIndex> {
  path = join(temporaryFolder('index'), 'index.sqlite');
  const index = await open();
  await index.write([{ kind: 'told', run: aToldRun('r', 3) }]);
  await index.close();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE tactus_index SET value = '${version}' WHERE name = 'schema'`);
  database.close();
  return open();
}

it('is made anew where its tables are old, and left alone where they are newer', async () => {
  const old = await withSchema(0);
  expect(await old.counts()).toMatchObject({ runs: 0 });
  await old.close();
  const newer = await withSchema(99);
  await expect(newer.counts()).rejects.toMatchObject({ code: 'usage' });
  await newer.close();
});

it('is made by several processes at once', async () => {
  const file = join(temporaryFolder('index'), 'index.sqlite');
  const at = Date.now() + 1_000;
  const built = new URL('../../../dist/read-model/open-run-index.js', import.meta.url);
  const script = `
    const { openRunIndex } = await import(${JSON.stringify(built)});
    while (Date.now() < ${at});
    const index = await openRunIndex(${JSON.stringify(file)});
    await index.enter({ id: String(process.pid), host: 'h', pid: process.pid, seenAt: 1 });
    await index.close();`;
  const processes = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }),
  );
  const codes = await Promise.all(processes.map(async (each) => (await once(each, 'exit'))[0] as number));
  expect(codes).toEqual(codes.map(() => 0));
  const index = await openRunIndex(file);
  expect(await index.feeders()).toHaveLength(codes.length);
  await index.close();
});

it.each(['mysql://user:secret@host/db', 'user:secret@host/db', 'postgres:secret'])(
  'is not what %s becomes, and its password is not told',
  async (address) => {
    const folder = temporaryFolder('index');
    const problem = await inFolder(folder, () => openRunIndex(address)).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'usage' });
    expect(String(problem)).not.toContain('secret');
    expect(readdirSync(folder)).toEqual([]);
  },
);

async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const place = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  return work().finally(() => place.mockRestore());
}
