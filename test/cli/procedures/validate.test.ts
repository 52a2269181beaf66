import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { shapeProblems } from '../../support/shared-shapes.js';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write('good.tac', 'Procedure { description = "Says hello", function() return {} end }');
  folder.write('warned.tac', 'function main()\n  return {x = math.random(6)}\nend');
  folder.write('bad.tac', 'function main()\n\tlocal counter = 1\n\treturn {n = counter, m = countr}\nend');
});
afterAll(() => folder?.close());

const color = { FORCE_COLOR: '1' };

describe('validate', () => {
  it('of a valid file', async () => {
    const { code, stdout, stderr } = await folder.run(['validate', 'good.tac']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'good.tac: valid\n', stderr: '' });
  });

  it('starts nothing', () => {
    expect(existsSync(join(folder.path, '.tactus-temporal'))).toBe(false);
  });

  it('shows the line with a caret, and what to write', async () => {
    const { code, stdout } = await folder.run(['validate', 'bad.tac'], { env: color });
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        'bad.tac:3:27 error The name countr is not known: it is nil here [unknown_name]',
        '    3 | \treturn {n = counter, m = countr}',
        '      | \t                         ^',
        '      = did you mean counter?',
        'bad.tac: not valid, 1 error',
        '',
      ].join('\n'),
    );
  });

  it('gives one JSON document', async () => {
    const ended = await folder.runHere(['validate', 'bad.tac', 'good.tac', '--json']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe('');
    expect(ended.json()).toMatchObject({
      valid: false,
      diagnostics: [
        {
          file: 'bad.tac',
          line: 3,
          column: 27,
          severity: 'error',
          code: 'unknown_name',
          message: 'The name countr is not known: it is nil here',
          suggestion: 'did you mean counter?',
        },
      ],
      describe: { name: 'bad', description: null },
      files: [
        { file: 'bad.tac', describe: { name: 'bad' } },
        { file: 'good.tac', describe: { name: 'good', description: 'Says hello' } },
      ],
    });
    expect(Object.keys(ended.json()['describe'] as object).sort()).toEqual(
      [
        ...['name', 'description', 'version', 'author', 'tags', 'input', 'output', 'state'],
        ...['agents', 'models', 'tools', 'tasks', 'specifications', 'strict_determinism'],
      ].sort(),
    );
  });

  it('checks Specifications, and those in files beside it', async () => {
    folder.write(
      'specified.tac',
      'Procedure { function() return 1 end }\nSpecification { from = "one.feature" }\n',
    );
    folder.write('one.feature', 'Feature: One\n  Scenario: It runs\n    Then all is well\n');
    const warned = await folder.runHere(['validate', 'specified.tac']);
    expect(warned.code).toBe(0);
    expect(warned.stdout).toContain(
      'one.feature:3:5 warning No step reads: all is well [undefined_step]\n    3 |     Then all is well\n',
    );
    folder.write(
      'one.feature',
      'Feature: One\n  Scenario: It runs\n    When the procedure runs\n    Thn all is well\n',
    );
    const failed = await folder.runHere(['validate', 'specified.tac', '--json']);
    expect(failed.code).toBe(1);
    expect(failed.json()).toMatchObject({
      valid: false,
      diagnostics: [{ file: 'one.feature', line: 4, column: 5, code: 'wrong_gherkin' }],
    });
  });

  it('warns, and is an error when strict', async () => {
    const warned = await folder.runHere(['validate', 'warned.tac', 'good.tac']);
    expect(warned.code).toBe(0);
    expect(warned.stdout).toContain('warned.tac:2:15 warning math.random');
    expect(warned.stdout).toContain('2 files: valid, 1 warning\n');
    expect((await folder.runHere(['validate', '--strict', 'warned.tac'])).code).toBe(1);
  });

  it('shows nothing but errors when it is to be quiet', async () => {
    const { code, stdout } = await folder.runHere(['validate', '--quiet', 'warned.tac', 'good.tac']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const refused = await folder.runHere(['validate', '--quiet', 'warned.tac', 'bad.tac']);
    expect(refused.stdout).not.toContain('warning math');
    expect(refused.stdout).toContain('[unknown_name]');
  });

  it('says the same on a terminal', async () => {
    const terminal = folder.terminal(['validate', 'bad.tac']);
    await terminal.shows('1 error');
    expect(await terminal.ended).toBe(1);
  });

  it('refuses wrong usage', async () => {
    expect((await folder.runHere(['validate'])).code).toBe(2);
    const missing = await folder.runHere(['validate', 'good.tac', 'none.tac', '--json']);
    expect(missing.code).toBe(2);
    expect(missing.json()).toMatchObject({ error: { code: 'source_not_found', file: 'none.tac' } });
  });

  it('has in its JSON what the HTTP API describes', async () => {
    for (const files of [['good.tac'], ['bad.tac'], ['good.tac', 'warned.tac', 'bad.tac']]) {
      const answer = (await folder.run(['validate', ...files, '--json'])).json();
      expect(answer['files']).toHaveLength(files.length);
      expect(shapeProblems('validate', answer)).toEqual([]);
    }
  });
});
