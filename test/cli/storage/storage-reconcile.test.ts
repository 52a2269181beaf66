import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** `storage reconcile` puts records right, whatever became of them. */

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('ask.tac', 'function main() state.n = 1 return Human.approve("Sure?") end');
});
afterAll(() => folder?.close());

it('says what differs, writes it, and finds it right then', async () => {
  for (const id of ['one', 'two', 'three'])
    expect((await folder.runHere(['run', 'ask.tac', '--id', id])).code).toBe(3);
  expect((await folder.runHere(['terminate', 'three'])).code).toBe(0);
  const file = (id: string): string => join('.tactus-temporal', 'mirror', `${id}.json`);
  const whole = folder.read(file('two'));
  rmSync(join(folder.path, file('one')));
  folder.write(file('two'), whole.slice(0, 40));
  const reconcile = async (...flags: string[]) => folder.runHere(['storage', 'reconcile', ...flags]);

  const found = { runs: 3, same: 0, missing: 1, damaged: 1, ended: 1, behind: 0, wrong: 0, gone: 0 };
  const looked = await reconcile('--dry-run', '--json');
  expect(looked.json()).toEqual(found);
  expect(folder.read(file('two'))).toBe(whole.slice(0, 40));
  const told = await reconcile();
  expect({ ...told, json: null }).toMatchObject({ code: 0, stderr: '' });
  expect(told.stdout).toBe('3 runs: 3 records written (1 missing, 1 damaged, 1 ended)\n');
  expect(JSON.parse(folder.read(file('two')))).toMatchObject({
    status: 'WAITING_FOR_HUMAN',
    state: { n: 1 },
  });
  expect(JSON.parse(folder.read(file('three')))).toMatchObject({ status: 'TERMINATED' });
  expect((await reconcile('--json')).json()).toEqual({ ...found, same: 3, missing: 0, damaged: 0, ended: 0 });
});

it('is refused where there is no storage', async () => {
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  expect((await folder.runHere(['storage', 'reconcile'], { env })).code).not.toBe(0);
});
