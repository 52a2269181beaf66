import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { templates } from '../../../src/cli/procedures/init-command.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder?.close());

describe('init', () => {
  it.each(Object.keys(templates))('begins a project that passes its tests: %s', async (template) => {
    const begun = await folder.run(['init', template, '--template', template, '--json']);
    expect(begun.code, begun.stderr).toBe(0);
    const { files } = begun.json() as unknown as { files: string[] };
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'AGENTS.md', 'README.md']));
    expect(files.filter((file) => !existsSync(join(folder.path, template, file)))).toEqual([]);
    const procedure = join(template, files.find((file) => file.endsWith('.tac')) ?? '');
    expect((await folder.runHere(['format', '--check', procedure])).code).toBe(0);
    const tested = await folder.runHere(['test', procedure, '--mock', '--twice']);
    expect(tested.code, tested.stdout + tested.stderr).toBe(0);
  });

  it('begins with an approval, here, and says what to do next', async () => {
    folder.write('here/.gitignore', 'mine\n');
    folder.write('here/AGENTS.md', 'ours\n');
    const begun = await folder.runHere(['init', 'here']);
    expect(begun.stdout.split('\n')).toContain(join('here', 'expenses.tac'));
    expect(begun.stderr).toContain('cd here\nnpx tactus-temporal test expenses.tac --mock');
    expect(readFileSync(join(folder.path, 'here/.gitignore'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(folder.path, 'here/AGENTS.md'), 'utf8')).toBe('ours\n');
  });

  it('writes nothing over what is there', async () => {
    folder.write('taken/files/notes/prices.txt', 'mine');
    const refused = await folder.runHere(['init', 'taken', '--template', 'research']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'taken has files/notes/prices.txt already: nothing was written',
      ) as string,
    });
    expect(existsSync(join(folder.path, 'taken/research.tac'))).toBe(false);
  });

  it('names the templates', async () => {
    expect((await folder.runHere(['init', '--list'])).stdout).toContain('runbook');
    expect((await folder.runHere(['init', 'x', '--template', 'reserch'])).stderr).toContain(
      'is research meant?',
    );
  });
});
