import { strFromU8, strToU8, unzipSync, zipSync, type Unzipped } from 'fflate';
import readWorkbook from 'read-excel-file/node';
import writeWorkbook, { type Cell } from 'write-excel-file/node';
import { TactusError } from '../../../../contract/errors.js';
import { setOwn, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import { plainNumber, plainTime, readRows, type Done, type ThreadRequest } from './messages.js';

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

/** What the files in a workbook may take together when they are unpacked. */
const mostBytes = 128 * 1024 * 1024;
/** Cells of a sheet, empty ones too: one value in its last corner makes 17 thousand million of them. */
const mostCells = 2_000_000;

/** A workbook whose sizes are known. */
interface Workbook {
  sheets: string[];
  /** The one that was asked for, else the one that was in front when it was saved. */
  sheet: string;
  /** The same workbook, unpacked once and within bounds. */
  files: Uint8Array;
}

/**
 * @throws TactusError file_failed for what is no workbook; payload_too_large
 */
function openWorkbook(bytes: Uint8Array | null, path: string, wanted: string | null): Workbook {
  const entries = unpack(bytes ?? new Uint8Array(), path);
  const book = entries['xl/workbook.xml'];
  if (book === undefined)
    throw new TactusError(
      'file_failed',
      `${path} can't be read as excel: it is no workbook of Excel (.xlsx)`,
    );
  const text = strFromU8(book);
  const sheets = [...text.matchAll(/<(?:\w+:)?sheet\s[^>]*?\bname="([^"]*)"/g)].map(([, name]) =>
    unescape(name ?? ''),
  );
  const active = Number(/<(?:\w+:)?workbookView\s[^>]*?\bactiveTab="(\d+)"/.exec(text)?.[1] ?? 0);
  for (const [name, content] of Object.entries(entries)) {
    if (!/^xl\/worksheets\/[^/]+\.xml$/.test(name)) continue;
    const sheet = strFromU8(content);
    assertBounded(sheet, path);
    // A value that a formula couldn't have, `#N/A`, is read as its text, not as nothing.
    entries[name] = strToU8(sheet.replace(/<((?:\w+:)?c\s[^>]*?)\bt="e"/g, '<$1t="str"'));
  }
  return {
    sheets,
    sheet: wanted ?? sheets[active] ?? sheets[0] ?? '',
    files: zipSync(entries, { level: 0 }),
  };
}

/** Sizes are those that the file says: what is larger is cut off there, and then no XML. */
function unpack(bytes: Uint8Array, path: string): Unzipped {
  let sum = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!/\.(xml|rels)$/i.test(name)) return false;
        sum += originalSize;
        if (sum <= mostBytes) return true;
        throw new TactusError(
          'payload_too_large',
          `${path} unpacks to more than ${mostBytes} bytes, which is more than can be read`,
        );
      },
    });
  } catch (error) {
    if (error instanceof TactusError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError(
      'file_failed',
      `${path} can't be read as excel: it is no workbook of Excel (.xlsx), or broken: ${reason}`,
    );
  }
}

function assertBounded(sheet: string, path: string): void {
  let rows = 0;
  let columns = 0;
  for (const [, letters = '', row = ''] of sheet.matchAll(
    /<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"/g,
  )) {
    rows = Math.max(rows, Number(row));
    columns = Math.max(
      columns,
      [...letters].reduce((sum, each) => sum * 26 + each.charCodeAt(0) - 64, 0),
    );
  }
  if (rows * columns > mostCells)
    throw new TactusError(
      'payload_too_large',
      `${path} has a sheet of ${rows} rows and ${columns} columns; at most ${mostCells} cells can be read`,
    );
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, digits?: string, name?: string) => {
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
      if (digits !== undefined) return String.fromCodePoint(Number(digits));
      return (Object.hasOwn(entities, name ?? '') ? entities[name ?? ''] : undefined) ?? whole;
    },
  );
}
