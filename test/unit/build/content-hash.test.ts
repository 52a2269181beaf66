import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { contentHash } from '../../../scripts/build/content-hash.mjs';
import { temporaryFolder } from '../../support/temporary-folder.js';

let root: string;

beforeEach(async () => {
  root = temporaryFolder('hash');
  await mkdir(join(root, 'src', 'deep'), { recursive: true });
  await writeFile(join(root, 'src', 'deep', 'a.ts'), 'a');
  await writeFile(join(root, 'lock.json'), '{}');
});

const hash = () =>
  contentHash(root, ['src', 'lock.json', 'not-there'], (file) => !file.endsWith('.generated.js'));

it('stays the same while nothing changes, and for files that do not count', async () => {
  const before = await hash();
  await writeFile(join(root, 'src', 'x.generated.js'), 'x');
  expect(await hash()).toBe(before);
});

it.each([
  ['a content', () => writeFile(join(root, 'src', 'deep', 'a.ts'), 'b')],
  ['a name', () => rename(join(root, 'src', 'deep', 'a.ts'), join(root, 'src', 'deep', 'b.ts'))],
  ['the list of files', () => writeFile(join(root, 'src', 'c.ts'), '')],
  ['a single file', () => writeFile(join(root, 'lock.json'), '[]')],
])('changes with %s', async (_, change) => {
  const before = await hash();
  await change();
  expect(await hash()).not.toBe(before);
});
