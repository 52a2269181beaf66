import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import type { JsonObject } from '../../../src/contract/json/json.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder.close());

it('makes keys, and signs decisions with them, which the runs of their configuration take alone', async () => {
  const made = await folder.run(['authority', 'keygen', '2026-11', '--json']);
  expect(made.code).toBe(0);
  const { file, authority } = made.json() as { file: string; authority: JsonObject };
  expect(file).toBe('2026-11.pem');
  expect(folder.read(file)).toContain('PRIVATE KEY');
  expect(made.stdout).not.toContain('PRIVATE');
  expect((await folder.runHere(['authority', 'keygen', '2026-11'])).code).toBe(2);
  for (const flags of [
    ['--files', '.'],
    ['--out', 'files/k3.pem'],
    ['--out', './files/../files/k3.pem'],
  ]) {
    const refused = await folder.runHere(['authority', 'keygen', 'k3', ...flags]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('folder of files')]);
  }
  expect((await folder.runHere(['authority', 'keygen', 'a.b'])).code).toBe(2);
  const told = await folder.runHere(['authority', 'keygen', 'k2', '--out', 'stranger.pem']);
  expect(told.stdout).toMatch(/authority:\n {2}keys:\n {4}"k2":\n {6}ed25519: "[\w-]{43}"/);

  // JSON is YAML.
  folder.write('.tactus/config.yml', JSON.stringify({ authority }));
  folder.write('ask.tac', 'function main() return Human.approve("Sure?") end');
  const run = await folder.runHere(['run', 'ask.tac', '--id', 'one', '--json']);
  expect(run.code).toBe(3);
  expect(run.json()).toMatchObject({ authority: 'signed', pending: [{ authority: 'signed' }] });
  expect((await folder.runHere(['pending'])).stdout).toContain('respond one/0 y --key FILE');

  const respond = (...flags: string[]): ReturnType<CliFolder['run']> =>
    folder.runHere(['respond', 'one/0', 'y', '--as', 'ann', ...flags, '--json']);
  const plain = await respond();
  expect(plain.json()).toMatchObject({ outcome: 'not_allowed' });
  expect(plain.code).toBe(2);
  expect((await respond('--key', 'stranger.pem', '--key-id', '2026-11')).json()).toMatchObject({
    outcome: 'not_allowed',
    message: "the token isn't signed with the key 2026-11",
  });
  expect((await respond('--key', 'missing.pem')).code).toBe(2);
  expect((await respond('--key', file, '--key-secret', 'HOME')).code).toBe(2);
  expect((await respond('--key-secret', 'NOWHERE_SET', '--key-id', 'x')).code).toBe(2);
  const taken = await respond('--key', file);
  expect(taken.json()).toMatchObject({ outcome: 'accepted' });
  expect(taken.code).toBe(0);
  const log = (await folder.runHere(['log', 'one', '--json'])).json() as { execution_log: JsonObject[] };
  expect(log).toMatchObject({ authority: 'signed', execution_log: [{ by_verified: true }] });
});
