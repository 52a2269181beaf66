import { strFromU8, strToU8, unzipSync, zipSync, type Unzipped } from 'fflate';
import { TactusError } from '../../../../contract/errors.js';

/** What the files in a workbook may take together when they are unpacked. */
const mostBytes = 128 * 1024 * 1024;
/** Cells of a sheet, empty ones too: one value in its last corner makes 17 thousand million of them. */
const mostCells = 2_000_000;

/** A workbook whose sizes are known. */
export interface Workbook {
  sheets: string[];
  /** The one that was asked for, else the one that was in front when it was saved. */
  sheet: string;
  /** The same workbook, unpacked once and within bounds. */
  files: Uint8Array;
}

/**
 * @throws TactusError file_failed for what is no workbook; payload_too_large
 */
export function openWorkbook(bytes: Uint8Array | null, path: string, wanted: string | null): Workbook {
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
