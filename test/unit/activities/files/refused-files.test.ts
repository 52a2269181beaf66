import { link, lstat, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileInput } from '../../../../src/contract/activities.js';
import { inFolder } from '../../../../src/activities/files/regular-files.js';
import { pathInside } from '../../../../src/activities/files/path-inside.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { failureOf, idempotencyKey, runActivity, textOf } from '../run-activity.js';

const operations = ['read', 'write', 'exists', 'size'] as const;
/** What lies in the folder of files, and must stay as it is. */
const kept = {
  '.env': 'KEY=1',
  '.git/hooks/pre-commit': 'exit 0',
  '.tactus/config.yml': 'default_model: local/small',
  'main.tac': 'return 1',
  'main.tac.yml': 'strict_determinism: true',
  'main.yml': 'strict_determinism: true',
  'parts/prices.lua': 'return {}',
  'tactus/config.yml': 'default_model: local/small',
  'notes/a.txt': 'a note',
};

let outside: string;
let root: string;
beforeEach(async () => {
  outside = temporaryFolder('refused');
  root = join(outside, 'root');
  for (const [name, text] of Object.entries(kept)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), text);
  }
  await writeFile(join(outside, 'secret.txt'), 'not yours');
});

async function file(operation: FileInput['operation'], path: string, folder = '') {
  const input = { operation, path, folder, content: 'overwritten', idempotencyKey };
  return (await runActivity('file', input, { deps: { filesRoot: root } })).value;
}

async function allNames(): Promise<string[]> {
  return (await readdir(outside, { recursive: true })).sort();
}

/** All four operations fail with this reason, and the folder and what is around it stay as they are. */
async function expectRefused(path: string, reason: string, folder = ''): Promise<void> {
  const before = await allNames();
  for (const operation of operations) {
    const failure = await failureOf(file(operation, path, folder));
    expect(failure, operation).toMatchObject({ type: 'file_failed', nonRetryable: true });
    expect(failure.message).toContain(reason);
    // A message is one line.
    expect(failure.message).toContain(JSON.stringify(folder === '' ? path : folder).replace(/\s+/g, ' '));
    expect(failure.message).toContain(`(folder of files: ${folder === '' ? root : `${folder} in ${root}`})`);
    expect(textOf(failure).replaceAll(root, '')).not.toContain(outside);
  }
  for (const [name, text] of Object.entries(kept))
    expect(await readFile(join(root, name), 'utf8')).toBe(text);
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('not yours');
  expect(await allNames()).toEqual(before);
}

const dot = 'a name in it begins with a dot';
const source = 'it is a source of procedures';
const config = 'it configures a procedure';
const keys = 'it is a file of keys';
const packages = 'it is a folder of packages';
const manager = 'it is a file of a package manager';
const program = 'it is a program';
const traversal = 'Path traversal';
const beside = 'it configures the procedure beside it';

describe('no operation takes', () => {
  it.each([
    ['.env', dot],
    ['./.env', dot],
    ['.//.env', dot],
    ['notes/.env', dot],
    ['.git/hooks/pre-commit', dot],
    ['.GIT/hooks/pre-commit', dot],
    ['.tactus/config.yml', dot],
    ['.tactus-temporal/temporal.sqlite', dot],
    ['..env', dot],
    ['.../a.txt', dot],
    ['./a/../.env', traversal],
    ['notes/../.env', traversal],
    ['notes\\..\\.env', traversal],
    ['notes\\.env', dot],
    ['.env ', dot],
    [' .env', dot],
    ['. ./a.txt', dot],
    ['.. /secret.txt', dot],
    ['.env::$DATA', dot],
    ['%2eenv', dot],
    ['%2e%2e%2fsecret.txt', dot],
    ['notes%5c.env', dot],
    ['\uff0eenv', dot],
    ['\u2024env', dot],
    ['notes\uff0f.env', dot],
    ['.g\u200cit/config', dot],
    ['\u200b.env', dot],
    ['\ufeff.env', dot],
    ['main.tac', source],
    ['new.tac', source],
    ['MAIN.TAC', source],
    ['Main.Tac', source],
    ['main.tac.', source],
    ['main.tac ', source],
    ['main.tac. . ', source],
    ['main.tac::$DATA', source],
    ['main.tac/', source],
    ['main.tac/below.txt', source],
    ['main%2Etac', source],
    ['main.t\u200dac', source],
    ['main\uff0etac', source],
    ['main.\uff54\uff41\uff43', source],
    ['parts/prices.lua', source],
    ['parts/prices.LUA', source],
    ['main.tac.yml', config],
    ['main.tac.yaml', config],
    ['MAIN.tac.YML', config],
    ['main.tac.yml.', config],
    ['main.yml', beside],
    ['main.yaml', beside],
    ['./main.yml', beside],
    ['main.yml.', beside],
    ['main.yml::$DATA', beside],
    ['tactus/config.yml', 'it is a file of configuration'],
    ['Tactus/Config.yml', 'it is a file of configuration'],
    ['tactus.yml', 'it is a file of configuration'],
    ['below/Tactus.YAML ', 'it is a file of configuration'],
    ['2026-11.pem', keys],
    ['keys/2026-11.PEM.', keys],
    ['server.key::$DATA', keys],
    ['server%2ekey', keys],
    ['id_ed25519', keys],
    ['store.p12', keys],
    ['node_modules', packages],
    ['node_modules/left-pad/index.txt', packages],
    ['below/Node_Modules/a.txt', packages],
    ['node_modules./a.txt', packages],
    ['node\u200b_modules/a.txt', packages],
    ['package.json', manager],
    ['PACKAGE.JSON', manager],
    ['below/package-lock.json', manager],
    ['yarn.lock', manager],
    ['pnpm-lock.yaml', manager],
    ['bun.lockb', manager],
    ['tsconfig.build.json', manager],
    ['pyproject.toml', manager],
    ['requirements.txt', manager],
    ['go.mod', manager],
    ['tools.mjs', program],
    ['tools.MJS ', program],
    ['tools.m\uff4as', program],
    ['lib/tools.cts', program],
    ['page.jsx', program],
    ['sitecustomize.py', program],
    ['site.pth', program],
    ['run.sh', program],
    ['run.ps1', program],
    ['run.bat.', program],
    ['addon.node', program],
    ['libz.so.1.2', program],
    ['Makefile', 'it says what other programs run'],
    ['Dockerfile.prod', 'it says what other programs run'],
    ['docker-compose.yml', 'it says what other programs run'],
    ['GIT~1/config', 'a short name of Windows'],
    ['git~1', 'a short name of Windows'],
    ['ENV~1.TXT', 'a short name of Windows'],
    ['~', 'begins with ~'],
    ['~/.ssh/id', 'begins with ~'],
    ['~root/a.txt', 'begins with ~'],
    ['/etc/hostname', traversal],
    ['C:\\a.txt', traversal],
    ['\\\\?\\C:\\a.txt', traversal],
    ['notes/a.txt\0.tac', 'is no path of a file'],
    ['.env\0.txt', 'is no path of a file'],
  ])('%j', async (path, reason) => {
    await expectRefused(path, reason);
  });

  it.each(['.git', 'notes/.hidden', '../root/.git'])('the folder %s', async (folder) => {
    await expectRefused('a.txt', folder.startsWith('..') ? traversal : dot, folder);
  });
});

it.each([
  'a.txt',
  'main',
  'notes/b.txt',
  'a.b.c',
  'notes.tac.txt',
  'tac',
  'tactical.csv',
  'other.yml',
  'config.yml',
  'settings/config.yml',
  'notes 10:30.txt',
  'a~1.backup.txt',
  'tools.mjs.txt',
  'package.txt',
  'packages.json',
  'node_modules.txt',
  'keys.csv',
  'compose.txt',
  'lock',
  'report.html',
  'data.json',
  'draft.txt~',
  '~$report.docx',
  '100%.txt',
  'a%20b.txt',
  '%zz%41.txt',
  'résumé.txt',
  're\u0301sume\u0301.txt',
  'a\\b.txt',
  '日本語/ﬁ.txt',
])('%j is a file like any other, under this very name', async (path) => {
  expect(await file('write', path)).toBe(true);
  expect(await readFile(join(root, path), 'utf8')).toBe('overwritten');
  expect(await file('read', path)).toBe('overwritten');
  expect(await file('exists', path)).toBe(true);
  expect(await file('size', path)).toBe(11);
});

describe('a link', () => {
  it.each([
    ['.env', dot],
    ['.git', dot],
    ['main.tac', source],
    ['main.tac.yml', config],
    ['main.yml', beside],
    ['tactus/config.yml', 'it is a file of configuration'],
    ['../secret.txt', traversal],
    ['..', traversal],
  ])('to %s is refused', async (target, reason) => {
    await symlink(join(root, target), join(root, 'innocent.txt'));
    await expectRefused('innocent.txt', reason);
  });

  it.each([
    ['.git', 'hooks/pre-commit', dot],
    ['.git', 'hooks/new', dot],
    ['..', 'secret.txt', traversal],
    ['..', 'new.txt', traversal],
    ['..', 'root/.env', dot],
  ])('to the folder %s leads nobody to %s', async (target, path, reason) => {
    await symlink(join(root, target), join(root, 'inner'));
    await expectRefused(`inner/${path}`, reason);
  });

  it('over another link is refused', async () => {
    await symlink('second', join(root, 'first'));
    await symlink('.env', join(root, 'second'));
    await expectRefused('first', dot);
  });

  it('that carries the name of a configuration is refused, wherever it leads', async () => {
    await writeFile(join(root, 'other.tac'), 'return 1');
    await symlink('notes/a.txt', join(root, 'other.yml'));
    await expectRefused('other.yml', beside);
  });

  it.each(['.new', 'new.tac', '../new.txt', 'new.txt'])(
    'that leads nowhere, to %s, makes nothing',
    async (target) => {
      await symlink(target, join(root, 'dangling.txt'));
      await symlink(target, join(root, 'folder'));
      const before = await allNames();
      for (const path of ['dangling.txt', 'folder/a.txt']) {
        expect((await failureOf(file('write', path))).type).toBe('file_failed');
        expect((await failureOf(file('read', path))).type).toBe('file_failed');
        expect(await file('exists', path)).toBe(false);
      }
      expect((await failureOf(file('read', 'dangling.txt'))).message).toContain(
        'is a link that leads nowhere',
      );
      expect((await failureOf(file('write', 'dangling.txt'))).message).toBe(
        `dangling.txt is a link that leads nowhere (folder of files: ${root})`,
      );
      expect(await allNames()).toEqual(before);
      expect((await lstat(join(root, 'dangling.txt'))).isSymbolicLink()).toBe(true);
    },
  );

  it('in a circle is refused', async () => {
    await symlink('b', join(root, 'a'));
    await symlink('a', join(root, 'b'));
    expect((await failureOf(file('write', 'a'))).message).toContain(
      'is a link that leads nowhere, or in a circle',
    );
  });

  it('to a file that may be used is followed', async () => {
    await symlink(join(root, 'notes/a.txt'), join(root, 'latest.txt'));
    await file('write', 'latest.txt');
    expect(await readFile(join(root, 'notes/a.txt'), 'utf8')).toBe('overwritten');
    expect((await lstat(join(root, 'latest.txt'))).isSymbolicLink()).toBe(true);
  });
});

describe('what the worker keeps for itself', () => {
  const reason = 'the worker keeps it for itself';

  async function keeping(operation: FileInput['operation'], path: string) {
    const deps = {
      filesRoot: root,
      keptPaths: [join(root, 'runs.sqlite'), join(root, 'store'), join(outside, 'secret.txt'), outside],
    };
    const input = { operation, path, content: 'overwritten', idempotencyKey };
    return (await runActivity('file', input, { deps })).value;
  }

  beforeEach(async () => {
    await mkdir(join(root, 'store'));
    for (const name of ['runs.sqlite', 'store/a.json']) await writeFile(join(root, name), 'records');
    await link(join(root, 'runs.sqlite'), join(root, 'twin.txt'));
    await link(join(outside, 'secret.txt'), join(root, 'other.txt'));
    await symlink(join(root, 'runs.sqlite'), join(root, 'linked.txt'));
    await symlink(join(root, 'store'), join(root, 'open'));
  });

  it.each([
    'runs.sqlite',
    'RUNS.sqlite',
    'store/a.json',
    'store/new.json',
    'Store/new.json',
    'store',
    'twin.txt',
    'other.txt',
    'linked.txt',
    'open/a.json',
  ])('%s is refused, by whatever name', async (path) => {
    for (const operation of [...operations, 'append', 'delete'] as const)
      expect((await failureOf(keeping(operation, path))).message, operation).toContain(reason);
    for (const name of ['runs.sqlite', 'store/a.json'])
      expect(await readFile(join(root, name), 'utf8')).toBe('records');
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('not yours');
  });

  it('is in no list, and all else is there: a kept folder that holds the folder of files keeps nothing of it', async () => {
    expect(await keeping('list', '.')).toEqual(['notes/', 'parts/', 'tactus/', 'main.yml'].sort());
    expect(await keeping('read', 'notes/a.txt')).toBe('a note');
    expect(await keeping('write', 'new.txt')).toBe(true);
  });
});

it('a write replaces a hard link, and what has the other name stays', async () => {
  await link(join(outside, 'secret.txt'), join(root, 'twin.txt'));
  await file('write', 'twin.txt');
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('not yours');
});

describe('a link that is put in the place of a folder', () => {
  const ways = [undefined, null];

  it.each(ways)('before the folder is gone through, leads nobody out', async (through) => {
    const { names } = await pathInside(root, '', 'notes/b.txt');
    await rename(join(root, 'notes'), join(root, 'moved'));
    await symlink(outside, join(root, 'notes'));
    const place = { root, names: names.slice(0, -1) };
    for (const make of [false, true])
      await expect(
        inFolder(place, { make, ...(through === null ? { through } : {}) }, (at) =>
          writeFile(at('b.txt'), 'x'),
        ),
      ).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect((await readdir(outside)).sort()).toEqual(['root', 'secret.txt']);
  });

  it('while something is done in it, leads nobody out', async () => {
    await inFolder({ root, names: ['notes'] }, { make: false }, async (at) => {
      await rename(join(root, 'notes'), join(root, 'moved'));
      await symlink(outside, join(root, 'notes'));
      await writeFile(at('b.txt'), 'x');
      expect(await readFile(at('a.txt'), 'utf8')).toBe('a note');
    });
    expect(await readdir(outside)).not.toContain('b.txt');
    expect((await readdir(join(root, 'moved'))).sort()).toEqual(['a.txt', 'b.txt']);
  });

  it("is told of afterwards where folders can't be held", async () => {
    const work = inFolder({ root, names: ['notes'] }, { make: false, through: null }, async () => {
      await rename(join(root, 'notes'), join(root, 'moved'));
      await symlink(outside, join(root, 'notes'));
    });
    await expect(work).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

it("folders are made where they can't be held too", async () => {
  await inFolder({ root, names: ['x', 'y'] }, { make: true, through: null }, (at) =>
    writeFile(at('a.txt'), 'x'),
  );
  expect(await readFile(join(root, 'x/y/a.txt'), 'utf8')).toBe('x');
});
