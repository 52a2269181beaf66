import { access, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { keptFolder } from '../../../scripts/setup/kept-folder.mjs';
import { temporaryFolder } from '../../support/temporary-folder.js';

let cache: string;
let filled: number;

beforeEach(async () => {
  cache = temporaryFolder('cache');
  filled = 0;
});

function keep(key = 'k1', content = 'good') {
  return keptFolder(join(cache, 'tool'), {
    key,
    files: ['tool'],
    async fill(draft) {
      filled += 1;
      await writeFile(join(draft, 'tool'), content);
    },
  });
}

const tool = () => join(cache, 'tool', 'tool');

it('fills a folder once', async () => {
  await expect(keep()).resolves.toBe(true);
  await expect(keep()).resolves.toBe(false);
  expect(filled).toBe(1);
});

it('fills it again when it was deleted', async () => {
  await keep();
  await rm(tool());
  await expect(keep()).resolves.toBe(true);
  await expect(readFile(tool(), 'utf8')).resolves.toBe('good');
});

it('fills it again when a file was damaged without a change of size', async () => {
  await keep();
  await writeFile(tool(), 'evil');
  await utimes(tool(), 1, 1);
  await expect(keep()).resolves.toBe(true);
  await expect(readFile(tool(), 'utf8')).resolves.toBe('good');
});

it('keeps a file that was only touched, as by a restored backup', async () => {
  await keep();
  await utimes(tool(), 1, 1);
  await expect(keep()).resolves.toBe(false);
});

it('fills it again for another key', async () => {
  await keep('k1', 'old');
  await expect(keep('k2', 'new')).resolves.toBe(true);
  await expect(readFile(tool(), 'utf8')).resolves.toBe('new');
});

it('leaves nothing behind when filling fails', async () => {
  const fill = () => Promise.reject(new Error('no network'));
  await expect(keptFolder(join(cache, 'tool'), { key: 'k', files: [], fill })).rejects.toThrow('no network');
  await expect(readdir(cache)).resolves.toEqual([]);
});

it('clears away what a killed set-up left an hour ago, and nothing younger', async () => {
  await mkdir(join(cache, 'tool.part-old'));
  await mkdir(join(cache, 'tool.part-new'));
  await utimes(join(cache, 'tool.part-old'), 1, 1);
  await keep();
  await expect(readdir(cache)).resolves.toEqual(['tool', 'tool.part-new']);
});

it('takes what another process put there meanwhile', async () => {
  const other = async (draft: string) => {
    await keep();
    await mkdir(join(draft, 'half'));
    throw new Error('interrupted');
  };
  await expect(keptFolder(join(cache, 'tool'), { key: 'k1', files: ['tool'], fill: other })).resolves.toBe(
    true,
  );
  await expect(access(tool())).resolves.toBeUndefined();
});
