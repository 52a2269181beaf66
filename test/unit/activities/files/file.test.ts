import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { toFailure } from '../../../../src/activities/retries/failures.js';
import { fileFault } from '../../../../src/activities/files/file-fault.js';
import type { FileInput } from '../../../../src/contract/activities.js';
import { failureOf, idempotencyKey, runActivity, textOf } from '../run-activity.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

let outside: string;
let root: string;
beforeEach(async () => {
  outside = temporaryFolder('files');
  root = join(outside, 'root');
  await mkdir(root);
  await writeFile(join(outside, 'secret.txt'), 'not yours');
});

async function file(operation: FileInput['operation'], path: string, content?: string) {
  const input = { operation, path, idempotencyKey, ...(content === undefined ? {} : { content }) };
  const { value } = await runActivity('file', input, { deps: { filesRoot: root } });
  return value;
}

it('an answer brings its time', async () => {
  const before = Date.now();
  const input = { operation: 'exists', path: 'a.txt', idempotencyKey } as const;
  const { at } = await runActivity('file', input, { deps: { filesRoot: root } });
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});

describe('files', () => {
  it('are written with their directories, read, measured and found', async () => {
    expect(await file('exists', 'output/a/b.txt')).toBe(false);
    expect(await file('write', 'output/a/b.txt', 'héllo\nworld\n')).toBe(true);
    expect(await file('read', 'output/a/b.txt')).toBe('héllo\nworld\n');
    expect(await file('size', './output/a/b.txt')).toBe(13);
    expect(await file('exists', 'output/a/b.txt')).toBe(true);
    expect(await file('exists', 'output')).toBe(false);
    expect(await readFile(join(root, 'output/a/b.txt'), 'utf8')).toBe('héllo\nworld\n');
  });

  it('are listed without what procedures may not use, and taken away', async () => {
    for (const name of ['b.txt', 'a.txt', 'deep/c.txt', 'x.tac', '.env'])
      await mkdir(dirname(join(root, name)), { recursive: true }).then(() => writeFile(join(root, name), ''));
    await symlink(join(outside, 'secret.txt'), join(root, 'link.txt'));
    expect(await file('list', '.')).toEqual(['a.txt', 'b.txt', 'deep/']);
    expect(await file('list', 'deep/')).toEqual(['c.txt']);
    expect((await failureOf(file('list', 'nowhere'))).message).toContain("nowhere doesn't exist");
    expect((await failureOf(file('list', 'a.txt'))).type).toBe('file_failed');
    expect((await failureOf(file('list', '..'))).message).toContain('Path traversal');
    expect(await file('delete', 'a.txt')).toBe(true);
    expect(await file('delete', 'a.txt')).toBe(true);
    expect((await failureOf(file('delete', 'deep'))).message).toContain('is not a regular file');
    expect((await failureOf(file('delete', 'x.tac'))).message).toContain('is refused');
    expect(await file('list', '.')).toEqual(['b.txt', 'deep/']);
  });

  it('remember no append of before they began anew', async () => {
    const act = (operation: FileInput['operation'], key: string, content = '') =>
      runActivity(
        'file',
        { operation, path: 'a.txt', content, idempotencyKey: key },
        { deps: { filesRoot: root } },
      );
    for (let attempt = 0; attempt < 2; attempt++) {
      await act('append', 'old', 'from before');
      await act('write', 'w', 'w');
      await act('append', 'a', '+a');
      await act('append', 'b', '+b');
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('w+a+b');
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      await act('delete', 'd');
      await act('append', 'a', '+a');
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('+a');
    }
  });

  it('that somebody else has changed since are not cut off by an append that is repeated', async () => {
    const path = join(root, 'a.txt');
    const append = (key: string, content: string) =>
      runActivity(
        'file',
        { operation: 'append', path: 'a.txt', content, idempotencyKey: key },
        { deps: { filesRoot: root } },
      );
    await append('1', 'one');
    await append('2', 'two');
    await writeFile(path, 'written by a person');
    await append('2', 'two');
    expect(await readFile(path, 'utf8')).toBe('written by a persontwo');
    await writeFile(path, `${await readFile(path, 'utf8')}, and more`);
    await append('2', 'two');
    expect(await readFile(path, 'utf8')).toBe('written by a persontwo, and more');
    // A worker that died over it: half of it is there.
    await append('3', 'three');
    await truncate(path, (await readFile(path)).length - 3);
    await append('3', 'three');
    expect(await readFile(path, 'utf8')).toBe('written by a persontwo, and morethree');
  });

  it('are appended to once for each key, whatever was lost on the way', async () => {
    const append = (key: string, content: string) =>
      runActivity(
        'file',
        { operation: 'append', path: 'logs/a.txt', content, idempotencyKey: key },
        { deps: { filesRoot: root } },
      );
    await append('1', 'one\n');
    await append('1', 'one\n');
    await append('2', 'zwei ü\n');
    await append('1', 'one\n');
    expect(await file('read', 'logs/a.txt')).toBe('one\nzwei ü\n');
    // Half of it was written when the worker died.
    await truncate(join(root, 'logs/a.txt'), 6);
    await append('2', 'zwei ü\n');
    await Promise.all(['3', '4', '5'].map((key) => append(key, `${key}\n`)));
    const lines = ((await file('read', 'logs/a.txt')) as string).split('\n');
    expect([lines.slice(0, 2), lines.slice(2).sort()]).toEqual([
      ['one', 'zwei ü'],
      ['', '3', '4', '5'],
    ]);
    expect(await file('list', 'logs')).toEqual(['a.txt']);
  });

  it('lie in a folder of the directory, where one is given', async () => {
    await file('write', 'deep/in/a.txt', 'deep');
    const read = (folder: string, outerFolders: string[] = []) =>
      runActivity(
        'file',
        { operation: 'read', path: 'a.txt', folder, idempotencyKey },
        { deps: { filesRoot: root, outerFolders } },
      );
    expect((await read('deep/in')).value).toBe('deep');
    await writeFile(join(outside, 'a.txt'), 'outside');
    for (const folder of ['..', outside, 'deep/../..']) {
      const failure = await failureOf(read(folder));
      expect([failure.type, failure.message]).toEqual([
        'file_failed',
        expect.stringContaining('Path traversal'),
      ]);
    }
    expect((await read(outside, [outside])).value).toBe('outside');
  });

  it('keep every character, a byte order mark and NUL too, but for how lines end', async () => {
    const text = '\ufeffa\r\nb\0c \u{1f600}';
    await file('write', 'odd.txt', text);
    expect(await file('read', 'odd.txt')).toBe('\ufeffa\nb\0c \u{1f600}');
    expect(await readFile(join(root, 'odd.txt'), 'utf8')).toBe(text);
  });

  it('are replaced as a whole, and nothing is left behind', async () => {
    await file('write', 'a.txt', 'long '.repeat(1000));
    await file('write', 'a.txt', 'short');
    expect(await file('read', 'a.txt')).toBe('short');
    expect(await readdir(root)).toEqual(['a.txt']);
  });

  it('are never seen half written', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(1_000_000));
    await file('write', 'a.txt', texts[0]);
    let isDone = false;
    const reader = (async () => {
      while (!isDone) expect(texts).toContain(await file('read', 'a.txt'));
    })();
    for (let i = 0; i < 20; i++) await file('write', 'a.txt', texts[i % 2]);
    isDone = true;
    await reader;
  });

  it('leave nothing behind when the name is taken by a directory', async () => {
    await mkdir(join(root, 'taken'));
    expect((await failureOf(file('write', 'taken', 'x'))).type).toBe('file_failed');
    expect(await readdir(root)).toEqual(['taken']);
  });

  it('get their directory made by the first write', async () => {
    await rm(root, { recursive: true });
    expect(await file('exists', 'a.txt')).toBe(false);
    expect(await file('write', 'a.txt', 'x')).toBe(true);
  });
});

describe('what leads out', () => {
  const operations = ['read', 'write', 'exists', 'size'] as const;
  const paths = [
    '../secret.txt',
    '../../../etc/hostname',
    'a/../../secret.txt',
    '..',
    '/etc/hostname',
    'C:\\Windows\\a',
    '..\\secret.txt',
    '\\\\server\\share',
    'link/secret.txt',
    'file-link',
  ];
  it.each(paths)('%s is refused', async (path) => {
    await symlink(outside, join(root, 'link'));
    await symlink(join(outside, 'secret.txt'), join(root, 'file-link'));
    for (const operation of operations) {
      const failure = await failureOf(file(operation, path, 'overwritten'));
      expect(failure).toMatchObject({ type: 'file_failed', nonRetryable: true });
      expect(failure.message).toContain('Path traversal');
      expect(textOf(failure).replaceAll(root, '')).not.toContain(outside);
    }
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('not yours');
  });

  it('a link that stays inside is followed', async () => {
    await file('write', 'real/a.txt', 'x');
    await symlink(join(root, 'real'), join(root, 'inner'));
    expect(await file('read', 'inner/a.txt')).toBe('x');
  });

  it('a link to what does not exist outside makes nothing there', async () => {
    await symlink(join(outside, 'made'), join(root, 'dangling'));
    await file('write', 'dangling/a.txt', 'x').catch(() => null);
    await file('write', 'dangling', 'x').catch(() => null);
    expect(await readdir(outside)).toEqual(['root', 'secret.txt']);
  });

  it('names that only look like it are fine', async () => {
    await file('write', 'a..b/c...txt', 'x');
    expect(await file('read', 'a..b/c...txt')).toBe('x');
  });
});

describe('what cannot be done', () => {
  it.each([
    ['read', 'nope.txt', /nope\.txt doesn't exist/],
    ['size', 'nope.txt', /nope\.txt doesn't exist/],
    ['read', 'folder', /folder is (not a regular file|a directory)/],
    ['size', 'folder', /folder is not a regular file/],
    ['read', 'plain.txt/below', /leads through something that is no directory/],
    ['write', 'plain.txt/below', /leads through something that is no directory|plain\.txt/],
    ['read', 'binary.bin', /binary\.bin is not UTF-8 text/],
    ['read', '', /is no path of a file/],
    ['read', 'a\0b', /is no path of a file/],
    ['read', `${'x'.repeat(300)}`, /has too long a name/],
  ] as const)('%s %s', async (operation, path, message) => {
    await mkdir(join(root, 'folder'));
    await writeFile(join(root, 'plain.txt'), 'x');
    await writeFile(join(root, 'binary.bin'), Buffer.from([0x66, 0xff, 0xfe]));
    const failure = await failureOf(file(operation, path, 'x'));
    expect(failure).toMatchObject({ type: 'file_failed', nonRetryable: true });
    expect(failure.message).toMatch(message);
    expect(textOf(failure).replaceAll(root, '')).not.toContain(outside);
  });

  it('a file too large to be recorded is not even read', async () => {
    await writeFile(join(root, 'big.txt'), '');
    await truncate(join(root, 'big.txt'), 50 * 1024 ** 3);
    expect(await failureOf(file('read', 'big.txt'))).toMatchObject({
      type: 'payload_too_large',
      nonRetryable: true,
    });
    expect(await file('size', 'big.txt')).toBe(50 * 1024 ** 3);
    // One whose JSON is larger than itself.
    await writeFile(join(root, 'control.txt'), '\u0001'.repeat(1_000_000));
    expect((await failureOf(file('read', 'control.txt'))).type).toBe('payload_too_large');
  });

  it('what may be over at the next attempt is tried again', () => {
    const error = Object.assign(new Error(`EMFILE: open '${root}/a'`), { code: 'EMFILE' });
    const failure = toFailure(fileFault(error, 'a', 'data'), {
      code: 'file_failed',
      subject: 'File a',
      secrets: () => [],
    });
    expect(failure).toMatchObject({
      nonRetryable: false,
      message: "File a: can't be used (EMFILE) (folder of files: data)",
    });
  });

  it('a named pipe does not make it wait', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    expect((await failureOf(file('read', 'pipe'))).message).toContain('pipe is not a regular file');
  });
});
