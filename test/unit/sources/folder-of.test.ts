import { expect, it } from 'vitest';
import { folderOf } from '../../../src/sources/find-procedure.js';

it.each([
  ['a.tac', ''],
  ['./a.tac', ''],
  ['/work/project/a.tac', ''],
  ['examples/deep/a.tac', 'examples/deep'],
  ['/work/project/examples/a.tac', 'examples'],
  ['..a/a.tac', '..a'],
  ['../other/a.tac', '/work/other'],
  ['/tmp/a.tac', '/tmp'],
])('%s lies in "%s"', (file, folder) => {
  expect(folderOf(file, '/work/project')).toBe(folder);
});
