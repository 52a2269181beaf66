import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { validateFile } from '../../../../src/client/procedures/validate-file.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

let folder: string;

beforeAll(() => {
  folder = temporaryFolder('validate');
});

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function found(path: string): Promise<string[]> {
  const { diagnostics } = await validateFile(path);
  return diagnostics.map(
    ({ file, line, column, code }) => `${file.slice(folder.length + 1)}:${line}:${column} ${code}`,
  );
}

it('finds the first byte that is no UTF-8', async () => {
  const path = write('bytes.tac', Buffer.from('function main()\n  return "gr\xfc\xdfe"\nend', 'latin1'));
  expect(await found(path)).toEqual(['bytes.tac:2:13 invalid_utf8']);
});

it('refuses UTF-16, and what is too large', async () => {
  expect(
    await found(write('wide.tac', Buffer.from('\ufefffunction main() return {} end', 'utf16le'))),
  ).toEqual(['wide.tac:1:1 invalid_utf8']);
  expect(await found(write('large.tac', `-- ${'x'.repeat(600_000)}`))).toEqual(['large.tac:1:1 too_large']);
});

it('names modules as the procedure is named', async () => {
  const path = write('shop/main.tac', 'local m = require("lib.m")\nfunction main() return {x = m.x} end');
  write('shop/lib/m.tac', 'return {x = unknwn}');
  expect(await found(path)).toEqual(['shop/lib/m.tac:1:13 unknown_name']);
});

it('sees files of nearly the same name', async () => {
  const path = write(
    'cases/main.tac',
    'local m = require("Lib.M")\nfunction main() return Procedure.run("Child.tac") end',
  );
  write('cases/Lib/m.tac', 'return {}');
  write('cases/child.tac', 'function main() return {} end');
  expect(await found(path)).toEqual(
    [
      'cases/main.tac:1:19 wrong_case',
      'cases/main.tac:1:7 unused_local',
      'cases/main.tac:2:38 wrong_case',
    ].toSorted(byPlace),
  );
});

it('takes a procedure that a worker in a folder above would find', async () => {
  const path = write(
    'above/examples/main.tac',
    'function main() return Procedure.run("examples/helpers/sum.tac", {}) end',
  );
  write('above/examples/helpers/sum.tac', 'function main() return {} end');
  expect(await found(path)).toEqual([]);
  expect(
    await found(write('nowhere/main.tac', 'function main() return Procedure.run("other.tac", {}) end')),
  ).toEqual(['nowhere/main.tac:1:38 procedure_not_found']);
});

it('refuses a file that is not there', async () => {
  await expect(validateFile(join(folder, 'none.tac'))).rejects.toMatchObject({ code: 'source_not_found' });
  await expect(validateFile(folder)).rejects.toMatchObject({ code: 'source_not_found' });
});

function byPlace(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
