import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packArchive, unpackArchive } from '../../../src/client/runs/archive.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const recorded = join(import.meta.dirname, '../../fixtures/reference-runs');
let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  for (const file of ['branch.tac', 'branch.json', 'approve.tac', 'approve.json'])
    folder.write(file, readFileSync(join(recorded, file), 'utf8'));
  folder.write('damaged.json', readFileSync(join(recorded, 'branch.json'), 'utf8').slice(0, 400));
});

afterAll(() => folder.close());

describe('import', () => {
  it('says whether the procedure fits, and starts nothing', async () => {
    const dry = await folder.runHere([
      'import',
      'branch.json',
      '--source',
      'branch.tac',
      '--dry-run',
      '--json',
    ]);
    expect(dry.json(), dry.stderr).toEqual({
      ...{
        run_id: null,
        imported_from: 'branch',
        checkpoints: 2,
        compared: 2,
        strangers: 0,
        left_behind: [],
        plan: null,
      },
      asked: [{ position: '2', type: 'hitl_approval', name: 'Left it is?', file: 'branch.tac', line: 6 }],
    });
    expect(dry.code).toBe(0);
  });

  it('goes on with a run of the reference', async () => {
    const started = await folder.runHere(['import', 'branch.json', '--source', 'branch.tac', '--id', 'here']);
    expect(started.stdout, started.stderr).toBe('here\n');
    expect(started.stderr).toContain('2 of 2 were compared');
    expect(started.stderr).toContain('tactus-temporal resume here');
    const ended = await folder.runHere(['resume', 'here', '--respond', 'true', '--json']);
    expect(ended.json()).toMatchObject({
      output: { way: 'left', mark: 'left-mark', ok: true },
      checkpoints: 3,
    });
  });

  it.each([
    [['branch.json'], 2, 'usage', /branch\.json holds no source.*--source/],
    [['branch.json', '--param', 'a=1'], 2, 'usage', /--input, --param and --task are those of a --source/],
    [['-', '--source', 'branch.tac', '--input', '-'], 2, 'usage', /two texts, and stdin is one/],
    [['gone.json', '--source', 'branch.tac'], 2, 'usage', /gone\.json can't be read/],
    [
      ['damaged.json', '--source', 'branch.tac'],
      1,
      'file_failed',
      /damaged\.json can't be imported: it is not JSON/,
    ],
    [['branch.json', '--source', 'approve.tac'], 2, 'input_invalid', /name/],
    [
      ['branch.json', '--source', 'approve.tac', '--param', 'name=x'],
      1,
      'non_determinism',
      /position 0: recorded is hitl_select.*now asks for hitl_approval/,
    ],
    [['branch.json', '--source', 'branch.tac', '--id', 'here'], 2, 'run_conflict', /here already/],
  ])('refuses %j', async (args, code, error, message) => {
    const ended = await folder.runHere(['import', ...args, '--json']);
    expect(ended.json()).toMatchObject({
      error: { code: error, message: expect.stringMatching(message) as unknown },
    });
    expect(ended.code).toBe(code);
  });
});

describe('export', () => {
  it('writes the input, which import takes for another source too', async () => {
    const source = `Procedure { input = { who = field.string{required = true} }, function(input)
  checkpoint()
  return { hello = input.who }
end }`;
    folder.write('hello.tac', source);
    folder.write('hello-2.tac', source.replace('hello', 'bye'));
    const started = await folder.runHere(['run', 'hello.tac', '--id', 'greeted', '--param', 'who=Ann']);
    expect(started.code, started.stderr).toBe(0);
    await folder.runHere(['export', 'greeted', '--out', 'greeted.json']);
    const args = ['import', 'greeted.json', '--source', 'hello-2.tac'];
    const imported = await folder.runHere([...args, '--id', 'parted', '--allow-changes']);
    expect(imported.code, imported.stderr).toBe(0);
    const ended = await folder.runHere(['result', 'parted', '--json']);
    expect(ended.json(), ended.stderr).toMatchObject({ output: { bye: 'Ann' } });
    const given = await folder.runHere([...args, '--param', 'who=Bob', '--json']);
    expect(given.json()).toMatchObject({ error: { code: 'usage' } });
  });

  it('writes what import goes on with, without its source', async () => {
    const started = await folder.runHere([
      'run',
      'branch.tac',
      '--id',
      'asked',
      '--respond',
      'right',
      '--json',
    ]);
    expect(started.code, started.stderr).toBe(3);
    const written = await folder.runHere(['export', 'asked', '--json', '--out', 'kept.json']);
    expect(written.json(), written.stderr).toMatchObject({
      ...{ run_id: 'asked', status: 'WAITING_FOR_HUMAN', checkpoints: 1 },
      file: join(folder.path, 'kept.json'),
    });
    const again = await folder.runHere(['import', 'kept.json', '--id', 'again', '--json']);
    expect(again.json(), again.stderr).toMatchObject({ imported_from: 'asked', checkpoints: 1 });
    const ended = await folder.runHere(['resume', 'again', '--respond', 'because', '--json']);
    expect(ended.json()).toMatchObject({ output: { way: 'right', why: 'because' } });
    const shown = await folder.runHere(['export', 'again', '--json']);
    expect(shown.json()).toMatchObject({ procedure_id: 'again', status: 'COMPLETED', replay_index: 2 });
  });

  it.each([
    ['a run that is none', ['export', 'nobody'], 2, 'run_not_found', /nobody/],
    [
      'an input for what has one',
      ['import', 'kept.json', '--source', 'branch.tac', '--input', '{}'],
      2,
      'usage',
      /has the input of its run/,
    ],
    [
      'a record that somebody has changed',
      ['import', 'changed.json'],
      1,
      'file_failed',
      /was changed since it was exported/,
    ],
  ])('refuses %s', async (_, args, code, error, message) => {
    folder.write(
      'changed.json',
      readFileSync(join(folder.path, 'kept.json'), 'utf8').replace('"right"', '"left"'),
    );
    const ended = await folder.runHere([...args, '--json']);
    expect(ended.json()).toMatchObject({
      error: { code: error, message: expect.stringMatching(message) as unknown },
    });
    expect(ended.code).toBe(code);
  });
});

describe('archive and replay', () => {
  const read = (file: string): Buffer => readFileSync(join(folder.path, file));

  it('keep a run, and lead it the same way again', async () => {
    const kept = await folder.runHere(['archive', 'again', '--out', 'again.gz', '--json']);
    expect(kept.json(), kept.stderr).toMatchObject({
      ...{ run_id: 'again', status: 'completed', is_open: false, executions: 1 },
      file: join(folder.path, 'again.gz'),
    });
    const log = (await folder.runHere(['log', 'again', '--json'])).json();
    const replayed = await folder.runHere(['replay', 'again.gz', '--json']);
    expect(replayed.json(), replayed.stderr).toMatchObject({
      ...{ run_id: 'again', procedure: 'branch', status: 'completed', executions: 1, problems: [] },
      output: { way: 'right', why: 'because' },
      error: null,
      log,
    });
    expect(replayed.code).toBe(0);
  });

  it('say that a run goes on', async () => {
    const kept = await folder.runHere(['archive', 'asked', '--out', 'asked.gz']);
    expect(kept.stderr).toContain('asked is still running');
    const replayed = await folder.runHere(['replay', 'asked.gz', '--json']);
    expect(replayed.json(), replayed.stderr).toMatchObject({ status: 'waiting_for_human', problems: [] });
  });

  it('lead a run the same way that nobody has archived, also where a folder is called as it is', async () => {
    folder.write('asked/notes.txt', '');
    const replayed = await folder.runHere(['replay', 'asked', '--json']);
    expect(replayed.json(), replayed.stderr).toMatchObject({
      ...{ run_id: 'asked', status: 'waiting_for_human', executions: 1, problems: [] },
    });
    const unknown = await folder.runHere(['replay', 'nobody', '--json']);
    expect(unknown.json()).toMatchObject({ error: { code: 'run_not_found' } });
  });

  it('tell what goes another way than it went', async () => {
    const { executions, ...archive } = unpackArchive(read('asked.gz'), 'asked.gz');
    const [first] = executions;
    const history = JSON.parse(
      JSON.stringify(first?.history).replaceAll('core_patch', 'core_other'),
    ) as JsonObject;
    const other = { ...archive, executions: [{ execution_id: 'one', history }] };
    writeFileSync(join(folder.path, 'other.gz'), packArchive(other));
    const replayed = await folder.runHere(['replay', 'other.gz', '--json']);
    expect(replayed.json()).toMatchObject({ problems: [{ execution: 'one' }] });
    expect(replayed.code).toBe(1);
  });

  it.each<[string, () => Uint8Array, RegExp]>([
    ['cut off', () => read('again.gz').subarray(0, -20), /it is damaged, or cut off/],
    ['damaged', () => read('again.gz').fill(7, 900, 910), /it is damaged, or cut off/],
    ['something else', () => gzipSync('{"format": "other"}'), /it is an archive, but not one of a run/],
    ['no archive at all', () => Buffer.from('{}'), /it is damaged, or cut off/],
    [
      'of a newer version',
      () => gzipSync('{"format": "tactus-temporal-archive", "version": 2}'),
      /version 2, and versions up to 1 are known here: a newer version/,
    ],
    [
      'without parts',
      () => gzipSync('{"format": "tactus-temporal-archive", "version": 1, "run_id": "x"}'),
      /parts of it are missing/,
    ],
  ])('refuse what is %s', async (_, make, message) => {
    writeFileSync(join(folder.path, 'refused.gz'), make());
    const ended = await folder.runHere(['replay', 'refused.gz', '--json']);
    expect(ended.json()).toMatchObject({
      error: { code: 'file_failed', message: expect.stringMatching(message) as unknown },
    });
    expect(ended.code).toBe(1);
  });
});
