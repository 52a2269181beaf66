import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write(
    'greet.tac',
    'Procedure { input = { name = field.string{}, times = field.number{} }, function(input) return input end }\n',
  );
});
afterAll(() => folder.close());

async function runs(): Promise<unknown[]> {
  return (await folder.runHere(['list', '--json'])).json()['runs'] as unknown[];
}

describe('input', () => {
  it('may come from a pipe that takes its time, in pieces', async () => {
    const child = folder.start(['run', 'greet.tac', '--input', '-', '--json']);
    let stdout = '';
    child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
    const ended = new Promise<number | null>((done) => child.on('close', done));
    const bytes = Buffer.from('{"name": "Zoë ✓"}');
    // Pieces that end within characters, after the command has begun to read.
    for (const [from, to] of [[0, 5], [5, 13], [13, 17], [17]]) {
      await delay(700);
      child.stdin?.write(bytes.subarray(from, to));
    }
    child.stdin?.end();
    expect(await ended, stdout).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ output: { name: 'Zoë ✓' } });
  });

  it('that is no UTF-8 is refused, with nothing started', async () => {
    writeFileSync(join(folder.path, 'latin.json'), Buffer.from('{"name": "Zo\xeb"}', 'latin1'));
    const before = await runs();
    const ended = await folder.runHere(['run', 'greet.tac', '--input', '@latin.json']);
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--input: latin.json is not UTF-8') as string,
    });
    expect(await runs()).toEqual(before);
  });

  it('may begin with a byte order mark', async () => {
    folder.write('marked.json', '\ufeff{"name": "me"}');
    const ended = await folder.runHere(['run', 'greet.tac', '--input', '@marked.json', '--json']);
    expect(ended.json()['output']).toEqual({ name: 'me' });
  });

  it('that the procedure does not know is refused, and what is near it is named', async () => {
    const before = await runs();
    const near = await folder.runHere(['run', 'greet.tac', '--param', 'nam=x']);
    expect(near).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--param nam: the procedure has no such input; is name meant?',
      ) as string,
    });
    const far = await folder.runHere(['start', 'greet.tac', '--param', 'zzzzzz=x']);
    expect(far.stderr).toContain('there are name, times');
    expect(await runs()).toEqual(before);
  });
});

describe('input that is larger than the server takes', () => {
  it('goes through the payload store, for a run that lasts as well, and is refused where there is none', async () => {
    folder.write(
      'large.tac',
      'Procedure { input = { text = field.string{} }, function(input) Human.approve("Go?") return #input.text end }\n',
    );
    folder.write('large.json', JSON.stringify({ text: 'x'.repeat(3_000_000) }));
    const begun = await folder.runHere(['run', 'large.tac', '--input', '@large.json', '--id', 'large']);
    expect(begun.code, begun.stderr).toBe(3);
    await folder.runHere(['respond', 'large/0', 'yes']);
    expect(await folder.runHere(['resume', 'large'])).toMatchObject({ code: 0, stdout: '3000000\n' });
    const again = await folder.runHere(['run', 'large.tac', '--input', '@large.json', '--id', 'large']);
    expect(again).toMatchObject({ code: 0, stdout: '3000000\n' });
    const refused = await folder.runHere([
      'run',
      'large.tac',
      '--input',
      '@large.json',
      '--address',
      '127.0.0.1:1',
    ]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '1500000 can be sent. A client with a payload store can send more',
      ) as string,
    });
  });
});

describe('a file that can not be read', () => {
  it.each([
    ['nowhere.tac', 'error There is no file nowhere.tac\n'],
    ['folder', 'error folder is a folder: name a .tac file in it\n'],
  ])('%s is refused in plain words, by each command', async (file, message) => {
    mkdirSync(join(folder.path, 'folder'), { recursive: true });
    for (const command of ['run', 'validate', 'format', 'graph'])
      expect(await folder.runHere([command, file]), command).toMatchObject({ code: 2, stderr: message });
  });
});

describe('a procedure that is not valid', () => {
  const wrong =
    'Procedure { function() if state.never then Human.approve{ mesage = "Go?" } end return 1 end }\n';

  it('is not started, and what is wrong is shown as validate shows it', async () => {
    folder.write('wrong.tac', wrong);
    const before = await runs();
    const validated = await folder.runHere(['validate', 'wrong.tac']);
    expect(validated.code).toBe(1);
    for (const command of ['run', 'start']) {
      const ended = await folder.runHere([command, 'wrong.tac']);
      expect(ended.code, ended.stderr).toBe(2);
      expect(ended.stderr).toContain(validated.stdout.split('\n')[0]);
      expect(ended.stderr).toContain('nothing was started; --no-validate starts it anyway');
    }
    const document = (await folder.runHere(['run', 'wrong.tac', '--json'])).json();
    expect(document).toMatchObject({ error: { code: 'source_invalid' } });
    expect(await runs()).toEqual(before);
  });

  it('is started where that is asked for', async () => {
    const ended = await folder.runHere(['run', 'wrong.tac', '--no-validate']);
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: '1\n' });
  });
});
