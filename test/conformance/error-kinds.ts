import { readFile } from 'node:fs/promises';
import type { ErrorCode } from '../../src/contract/errors.js';

/** What an error of the reference is with us. It has no codes: its text tells. */
interface ErrorKind {
  /** Pattern of the reference's message. */
  reference: string;
  code: ErrorCode;
  /** What our message must name too; `$1` is what the pattern's first group matched. */
  names: string;
}

const kinds = JSON.parse(await readFile(new URL('error-kinds.json', import.meta.url), 'utf8')) as ErrorKind[];

export function errorKindOf(message: string): { code: ErrorCode; names: string } {
  for (const { reference, code, names } of kinds) {
    const match = new RegExp(reference).exec(message);
    if (match !== null) return { code, names: names.replace('$1', match[1] ?? '') };
  }
  throw new Error(`error-kinds.json doesn't say what this is with us: ${message}`);
}
