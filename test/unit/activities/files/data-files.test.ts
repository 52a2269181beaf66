import { cp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DataFileInput } from '../../../../src/contract/activities.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { runActivity } from '../run-activity.js';

const kept = fileURLToPath(new URL('../../../fixtures/data-files', import.meta.url));
/** What pandas, pyarrow, openpyxl and h5py read in the same files: `produce.py` there. */
const expected = JSON.parse(readFileSync(join(kept, 'expected.json'), 'utf8')) as Record<string, JsonValue>;
const root = temporaryFolder('data-files');

beforeAll(() => cp(kept, root, { recursive: true }));

type Asked = Omit<DataFileInput, 'path'>;

async function outcome(path: string, asked: Asked): Promise<{ ok: boolean } & Record<string, unknown>> {
  const { value } = await runActivity('dataFileOutcome', { path, ...asked }, { deps: { filesRoot: root } });
  return value;
}

async function done(path: string, asked: Asked): Promise<JsonValue> {
  const { ok, value, message } = await outcome(path, asked);
  if (!ok) throw new Error(String(message));
  return value as JsonValue;
}

/** What can't be done is an outcome, and no failure that is tried again. */
async function refusal(path: string, asked: Asked): Promise<string> {
  const { ok, code, message } = await outcome(path, asked);
  return ok ? 'done' : `${String(code)}: ${String(message)}`;
}

/** As a procedure sees it, which has no keys without values. */
function seen(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(seen);
  if (value === null || typeof value !== 'object') return value;
  const there = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(there.map(([key, each]) => [key, seen(each)]));
}

describe('files that Python wrote are read as Python reads them', () => {
  it.each(Object.keys(expected).filter((name) => name.endsWith('.parquet')))('%s', async (name) => {
    expect(seen(await done(name, { format: 'parquet', operation: 'read' }))).toEqual(
      seen(expected[name] ?? null),
    );
  });

  it.each(Object.entries(expected['book.xlsx'] ?? {}).filter(([part]) => part !== 'sheets'))(
    'the sheet %s',
    async (part, rows: JsonValue) => {
      const read = await done('book.xlsx', { format: 'excel', operation: 'read', part });
      expect(seen(read)).toEqual(seen(rows));
    },
  );

  it('the sheet in front, and the names of all', async () => {
    expect(await done('active.xlsx', { format: 'excel', operation: 'read' })).toEqual(
      expected['active.xlsx'],
    );
    const { sheets } = expected['book.xlsx'] as { sheets: JsonValue };
    expect(await done('book.xlsx', { format: 'excel', operation: 'list' })).toEqual(sheets);
  });

  it('datasets of HDF5', async () => {
    const { list, ...datasets } = expected['sets.h5'] as Record<string, JsonValue>;
    expect(await done('sets.h5', { format: 'hdf5', operation: 'list' })).toEqual(list);
    const names = Object.keys(datasets);
    const read: JsonValue[] = [];
    for (const part of names) read.push(await done('sets.h5', { format: 'hdf5', operation: 'read', part }));
    expect(Object.fromEntries(names.map((name, i) => [name, read[i]]))).toEqual(datasets);
    expect(await done('sets.h5', { format: 'hdf5', operation: 'read', part: 'one' })).toBe(5);
  }, 60_000);
});

describe('what is written is read again', () => {
  const rows = [
    {
      n: 1,
      x: 1.5,
      s: 'ü',
      b: true,
      l: [1, 2],
      t: { a: 'q', d: { e: [1] } },
      r: [{ k: 1 }, { k: 2, j: 'z' }],
    },
    { n: -9007199254740991, x: 2, s: '', b: false, l: [], t: { a: 'w' }, r: [], only: 'here' },
  ];

  it('as Parquet, with its types', async () => {
    const format = 'parquet';
    expect(await done('deep/er/a.parquet', { format, operation: 'write', data: rows })).toBe(true);
    expect(seen(await done('deep/er/a.parquet', { format, operation: 'read' }))).toEqual(rows);
  });

  it('as Excel, where texts stay texts', async () => {
    const data = [
      { name: 'Ann', score: 95, f: '=1+1' },
      { name: ' 日本 & <b>\n', ok: true },
    ];
    await done('a.xlsx', { format: 'excel', operation: 'write', data, part: 'Täbelle' });
    expect(await done('a.xlsx', { format: 'excel', operation: 'list' })).toEqual(['Täbelle']);
    expect(seen(await done('a.xlsx', { format: 'excel', operation: 'read' }))).toEqual(data);
    const sheet = unzipSync(await readFile(join(root, 'a.xlsx')))['xl/worksheets/sheet1.xml'];
    expect(Buffer.from(sheet ?? []).toString()).not.toContain('<f>');
  });

  it.each(['parquet', 'excel'] as const)(
    'as %s, with the columns that any row has, and rows that have none',
    async (format) => {
      const path = `columns.${format === 'excel' ? 'xlsx' : format}`;
      const data = [{ a: 1 }, [], { b: 'x' }, { a: 2, c: true }];
      await done(path, { format, operation: 'write', data });
      expect(seen(await done(path, { format, operation: 'read' }))).toEqual([
        { a: 1 },
        {},
        { b: 'x' },
        { a: 2, c: true },
      ]);
    },
  );

  it('as Excel, whose columns may have one name', async () => {
    const data = [
      { a: 'x', b: 'x', c: 'x' },
      { a: 1, b: 2, c: 3 },
    ];
    await done('twice.xlsx', { format: 'excel', operation: 'write', data });
    const entries = unzipSync(await readFile(join(root, 'twice.xlsx')));
    const name = 'xl/worksheets/sheet1.xml';
    const sheet = Buffer.from(entries[name] ?? []).toString();
    // The line of names goes, and what was the first row are names.
    const shifted = sheet
      .replace(/<row r="1".*?<\/row>/, '')
      .replace(/ r="([A-Z]*)(\d)"/g, (_, column: string, row: string) => ` r="${column}${Number(row) - 1}"`);
    await writeFile(join(root, 'twice.xlsx'), zipSync({ ...entries, [name]: strToU8(shifted) }));
    expect(await done('twice.xlsx', { format: 'excel', operation: 'read' })).toEqual([
      { x_1: 1, x_2: 2, x: 3 },
    ]);
  });

  it('as HDF5, beside what is there, and in place of what has the name', async () => {
    const write = (part: string, data: JsonValue): Promise<JsonValue> =>
      done('a.h5', { format: 'hdf5', operation: 'write', part, data });
    const read = (part: string): Promise<JsonValue> =>
      done('a.h5', { format: 'hdf5', operation: 'read', part });
    await write('results/scores', [1, 2, 3]);
    await Promise.all([
      write('results/matrix', [
        [1.5, 2],
        [3, 4],
      ]),
      write('/words', ['ü', '']),
    ]);
    await write('results/scores', [4, 5, 6]);
    expect(await read('results/scores')).toEqual([4, 5, 6]);
    await write('results/scores', [0.5]);
    expect(await done('a.h5', { format: 'hdf5', operation: 'list' })).toEqual([
      'results/matrix',
      'results/scores',
      'words',
    ]);
    expect([await read('results/scores'), await read('results/matrix'), await read('words')]).toEqual([
      [0.5],
      [
        [1.5, 2],
        [3, 4],
      ],
      ['ü', ''],
    ]);
    // Twice the same, as a second attempt does it.
    expect([await write('results/scores', [0.5]), await read('results/scores')]).toEqual([true, [0.5]]);
  }, 60_000);

  it('and nothing else is left behind', async () => {
    expect((await readdir(root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('what cannot be read', () => {
  beforeAll(async () => {
    const cut = async (name: string, bytes: number): Promise<void> =>
      writeFile(join(root, `cut-${name}`), (await readFile(join(kept, name))).subarray(0, bytes));
    await Promise.all([cut('columns.parquet', 3000), cut('book.xlsx', 3000), cut('sets.h5', 9000)]);
    await writeFile(join(root, 'text.txt'), 'hello');
    await writeFile(join(root, 'other.zip'), zipSync({ 'a.xml': strToU8('<a/>') }));
    const book = unzipSync(await readFile(join(kept, 'active.xlsx')));
    const sheet = 'xl/worksheets/sheet1.xml';
    const cell =
      '<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>';
    await writeFile(join(root, 'corner.xlsx'), zipSync({ ...book, [sheet]: strToU8(cell) }));
    const bomb = zipSync({ ...book, [sheet]: new Uint8Array(160 * 1024 * 1024) }, { level: 1 });
    await writeFile(join(root, 'bomb.xlsx'), bomb);
    await symlink('/etc', join(root, 'away'));
    await writeFile(join(root, 'far.tac'), '');
  }, 60_000);

  it.each<[string, Asked['format'], string | undefined, string]>([
    [
      'cut-columns.parquet',
      'parquet',
      undefined,
      "file_failed: cut-columns.parquet can't be read as parquet",
    ],
    ['cut-book.xlsx', 'excel', undefined, 'it is no workbook of Excel (.xlsx), or broken'],
    ['cut-sets.h5', 'hdf5', 'one', 'the file has been cut off'],
    ['text.txt', 'parquet', undefined, "text.txt can't be read as parquet"],
    ['text.txt', 'excel', undefined, 'it is no workbook of Excel'],
    ['text.txt', 'hdf5', 'a', 'it is no file of HDF5, or broken'],
    ['other.zip', 'excel', undefined, 'it is no workbook of Excel'],
    ['bomb.xlsx', 'excel', undefined, 'payload_too_large: bomb.xlsx unpacks to more than 134217728 bytes'],
    [
      'corner.xlsx',
      'excel',
      undefined,
      'payload_too_large: corner.xlsx has a sheet of 1048576 rows and 16384 columns',
    ],
    ['book.xlsx', 'excel', 'Nope', 'book.xlsx has no sheet "Nope"; there are: Plain, 日本 & <b>'],
    ['sets.h5', 'hdf5', 'nope/x', 'sets.h5 has no dataset "nope/x"; there are: grüße/ключ'],
    ['sets.h5', 'hdf5', 'types', 'types in sets.h5 is no dataset'],
    ['sets.h5', 'hdf5', 'link', 'link in sets.h5 is no dataset'],
    ['sets.h5', 'hdf5', 'half', 'holds floats of 16 bits'],
    ['sets.h5', 'hdf5', 'sparse', 'payload_too_large: sparse in sets.h5 takes 8000000000000 bytes'],
    ['none.h5', 'hdf5', 'a', "file_failed: none.h5 doesn't exist"],
    ['../x.h5', 'hdf5', 'a', 'Path traversal'],
    ['away/passwd', 'parquet', undefined, 'Path traversal'],
    ['far.tac', 'excel', undefined, 'it is a source of procedures'],
  ])('%s as %s (%s)', async (path, format, part, words) => {
    const asked = { format, operation: 'read' as const, ...(part === undefined ? {} : { part }) };
    expect(await refusal(path, asked)).toContain(words);
  });

  it.each<[Asked['format'], string | undefined, JsonValue, string]>([
    ['parquet', undefined, [], "new can't be written: there are no rows"],
    ['parquet', undefined, [1], 'row 1 is no table of columns'],
    ['parquet', undefined, [{ n: 1 }, { n: 'a' }], 'the column n holds a number and a text'],
    ['excel', undefined, [{ a: [1] }], '"a" in row 1 is a table: a cell holds one value'],
    ['excel', undefined, [{ a: '\u0001' }], 'has control characters'],
    ['excel', 'a/b', [{ a: 1 }], 'illegal characters'],
    ['hdf5', 'x', [[1], [2, 3]], 'its lists are not of the same length'],
    ['hdf5', 'x', [true], 'booleans have no type in HDF5'],
    ['hdf5', 'x', { a: 1 }, 'only lists can be written'],
    ['hdf5', 'x', [1, 'a'], 'it holds numbers and texts'],
    ['hdf5', '/', [1], '"/" is no name of a dataset'],
  ])('%s to be written of %s: %j', async (format, part, data, words) => {
    const asked = { format, operation: 'write' as const, data, ...(part === undefined ? {} : { part }) };
    expect(await refusal('new', asked)).toContain(words);
    expect((await readdir(root)).includes('new')).toBe(false);
  });

  it('what else is in a file of HDF5 is never lost', async () => {
    const before = await readFile(join(root, 'sets.h5'));
    const write: Asked = { format: 'hdf5', operation: 'write', part: 'packed', data: [1, 2] };
    expect(await refusal('sets.h5', write)).toContain('half is of a type of its own, which would be lost');
    expect(before.equals(await readFile(join(root, 'sets.h5')))).toBe(true);
  });
});
