import readWorkbook from 'read-excel-file/node';
import writeWorkbook, { type Cell } from 'write-excel-file/node';
import { TactusError } from '../../../../contract/errors.js';
import { setOwn, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import { plainNumber, plainTime } from './plain.js';
import type { Done, ThreadRequest } from './messages.js';
import { readRows } from './rows.js';
import { openWorkbook } from './workbook.js';

/** What Excel itself can hold. */
const mostCellChars = 32_767;
const mostRows = 1_048_576;
const mostColumns = 16_384;

/** Reads the rows or the names of sheets, or makes a workbook with one. */
export async function excel(request: ThreadRequest): Promise<Done> {
  switch (request.operation) {
    case 'list':
      return { value: openWorkbook(request.bytes, request.path, null).sheets };
    case 'read':
      return { value: await read(request) };
    case 'write':
      return { bytes: await write(request) };
  }
}

async function read({ bytes, path, part }: ThreadRequest): Promise<JsonValue> {
  const { sheets, sheet, files } = openWorkbook(bytes, path, part ?? null);
  if (!sheets.includes(sheet))
    throw new TactusError(
      'file_failed',
      `${path} has no sheet ${JSON.stringify(sheet)}; there are: ${sheets.join(', ')}`,
    );
  const found = await readWorkbook(Buffer.from(files), { trim: false });
  const [first = [], ...rows] = found.find((each) => each.sheet === sheet)?.data ?? [];
  const headers = columnNames(first.map((head, i) => (head === null ? `col_${i}` : headOf(cell(head)))));
  return rows.map((row) => {
    const plain: JsonObject = {};
    for (const [i, header] of headers.entries()) setOwn(plain, header, cell(row[i]));
    return plain;
  });
}

/** Of several columns with one name the last has it; the others have their number with it, as in files of CSV. */
function columnNames(heads: readonly string[]): string[] {
  const taken = new Set(heads);
  return heads.map((head, i) => {
    if (heads.lastIndexOf(head) === i) return head;
    let name = `${head}_${i + 1}`;
    while (taken.has(name)) name += '_';
    taken.add(name);
    return name;
  });
}

function headOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cell(value: unknown): JsonValue {
  if (value instanceof Date) return plainTime(BigInt(value.getTime()) * 1000n);
  if (typeof value === 'number') return plainNumber(value);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

async function write({ data, path, part = 'Sheet1' }: ThreadRequest): Promise<Uint8Array> {
  const { rows, columns } = readRows(data, path);
  if (rows.length >= mostRows || columns.length > mostColumns)
    throw new TactusError(
      'payload_too_large',
      `${path}: a sheet holds no more than 1048575 rows and 16384 columns`,
    );
  const values = rows.map((row, i) =>
    columns.map((column) => {
      const value = Object.hasOwn(row, column) ? (row[column] ?? null) : null;
      const problem = problemOf(value);
      if (problem === null) return written(value);
      throw new TactusError(
        'file_failed',
        `${path} can't be written: ${JSON.stringify(column)} in row ${i + 1} ${problem}`,
      );
    }),
  );
  return writeWorkbook([columns.map(written), ...values], { sheet: part }).toBuffer();
}

/** Texts are said to be texts: one that begins with `=` is no formula. */
function written(value: JsonValue): Cell {
  if (typeof value === 'string') return { value, type: String };
  if (typeof value === 'number') return { value, type: Number };
  return typeof value === 'boolean' ? { value, type: Boolean } : null;
}

function problemOf(value: JsonValue): string | null {
  if (typeof value === 'object' && value !== null) return 'is a table: a cell holds one value';
  if (typeof value !== 'string') return null;
  if (value.length > mostCellChars) return `has ${value.length} characters; a cell holds ${mostCellChars}`;
  // eslint-disable-next-line no-control-regex -- XML has no form for these
  return /[\0-\x08\x0b\x0c\x0e-\x1f]/.test(value) ? 'has control characters, which a cell cannot hold' : null;
}
