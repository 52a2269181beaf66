import { sha256Hex } from '../../contract/effects/digest.js';
import { checkProcedureId } from './procedure-id.js';

/** File systems take 255 bytes; the names of temporary files are longer than those of records. */
const longestName = 200;

/** Names that Windows gives to devices, whatever their extension. */
const deviceName = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

const suffix = '.json';

/**
 * The file that holds a procedure. Plain ids keep their names, as in Tactus itself; all other bytes become `%XX`,
 * so that no id leaves the folder. An id that is too long is hashed, behind a `~` that no other name begins with.
 */
export function toFileName(procedureId: string): string {
  checkProcedureId(procedureId);
  const bytes = Buffer.from(procedureId, 'utf8');
  const isDevice = deviceName.test(procedureId);
  const name = Array.from(bytes, (byte, index) => {
    const character = String.fromCharCode(byte);
    const isPlain = index === 0 ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9_.-]/;
    return isPlain.test(character) && !(isDevice && index === 0) ? character : escaped(byte);
  }).join('');
  return (name.length <= longestName ? name : `~${sha256Hex(procedureId)}`) + suffix;
}

/** The procedure that a file holds; a hashed name only the record can tell. Null for files of others. */
export function fromFileName(fileName: string): { procedureId: string } | 'in the record' | null {
  if (!fileName.endsWith(suffix)) return null;
  const name = fileName.slice(0, -suffix.length);
  if (/^~[0-9a-f]{64}$/.test(name)) return 'in the record';
  if (!/^(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+$/.test(name)) return null;
  const procedureId = Buffer.from(unescaped(name), 'latin1').toString('utf8');
  return toFileName(procedureId) === fileName ? { procedureId } : null;
}

function escaped(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function unescaped(name: string): string {
  return name.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
