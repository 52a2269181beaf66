import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateFile } from '../../../src/client/procedures/validate-file.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const examples = resolve(import.meta.dirname, '../../../examples');
const names = readdirSync(examples).filter((name) => name.endsWith('.tac'));

const untidy =
  "a = Agent{model='openai/gpt-5-mini'}\nfunction main()\n      return { said=a( 'x' ).output }\nend\nSpecification[[\nFeature:   F\n]]\n";
const tidy =
  'a = Agent { model = "openai/gpt-5-mini" }\nfunction main()\n  return { said = a("x").output }\nend\nSpecification [[\nFeature:   F\n]]\n';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write('untidy.tac', untidy);
  folder.write('broken.tac', 'function main()\n  return {\nend\n');
  for (const name of names) folder.write(`examples/${name}`, readFileSync(join(examples, name), 'utf8'));
});
afterAll(() => folder.close());

describe('format', () => {
  it('says what it would change, prints it, and changes it once', async () => {
    const checked = await folder.run(['format', 'untidy.tac', '--check', '--json']);
    expect([checked.code, checked.json()]).toEqual([1, { files: [{ file: 'untidy.tac', changed: true }] }]);
    const printed = await folder.runHere(['format', 'untidy.tac', '--stdout']);
    expect(folder.read('untidy.tac')).toBe(untidy);
    const formatted = await folder.runHere(['format', 'untidy.tac']);
    expect([formatted.code, formatted.stdout]).toEqual([0, 'untidy.tac changed\n1 of 1 files changed\n']);
    expect(folder.read('untidy.tac')).toBe(printed.stdout);
    expect(printed.stdout).toBe(tidy);
    expect((await folder.runHere(['format', 'untidy.tac', '--check'])).code).toBe(0);
  });

  it('leaves what the examples declare as it was', async () => {
    const before = await Promise.all(names.map((name) => validateFile(join(examples, name))));
    const files = names.map((name) => `examples/${name}`);
    expect((await folder.runHere(['format', ...files])).code).toBe(0);
    const after = await Promise.all(names.map((name) => validateFile(join(folder.path, 'examples', name))));
    expect(after.map(({ describe: declared }) => declared)).toEqual(
      before.map(({ describe: declared }) => declared),
    );
    expect((await folder.runHere(['format', ...files, '--check'])).code).toBe(0);
  });

  it('keeps constants', async () => {
    folder.write('constant.tac', 'local x <const> =1\nreturn {x=x}\n');
    expect((await folder.runHere(['format', 'constant.tac', '--stdout'])).stdout).toBe(
      'local x <const> = 1\nreturn { x = x }\n',
    );
  });

  it('changes nothing where one of the files is broken', async () => {
    folder.write('untidy-again.tac', untidy);
    const ended = await folder.runHere(['format', 'untidy-again.tac', 'broken.tac', '--json']);
    expect(ended.code).toBe(2);
    expect(ended.json()).toMatchObject({ error: { code: 'source_invalid', file: 'broken.tac', line: 2 } });
    expect(folder.read('untidy-again.tac')).toBe(untidy);
  });

  it.each([
    [['nowhere.tac'], 'There is no file nowhere.tac'],
    [['untidy.tac', 'broken.tac', '--stdout'], '--stdout takes one file'],
  ])('refuses %j', async (args, message) => {
    const ended = await folder.runHere(['format', ...args]);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
