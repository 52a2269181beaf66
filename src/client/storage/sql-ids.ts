import { TactusError } from '../../contract/errors.js';
import { checkProcedureId } from './storage-backend.js';

/** A row of an index in PostgreSQL has 2,700 bytes at most; ids of Temporal have 1,000. */
const longestBytes = 2_000;

/**
 * An id as the databases keep it: no text in PostgreSQL has the character 0, so another stands for it. Order and beginnings
 * stay what they were.
 * @throws TactusError usage of what is no id, or of one that is too long to be found by
 */
export function toSqlId(procedureId: string): string {
  checkProcedureId(procedureId);
  const id = toSqlText(procedureId);
  if (Buffer.byteLength(id) <= longestBytes) return id;
  throw new TactusError('usage', `a procedure id has ${longestBytes} bytes at most in a database`);
}

/** The same for a text that ids are compared with. */
export function toSqlText(text: string): string {
  // eslint-disable-next-line no-control-regex -- the very characters that are replaced
  return text.replace(/[\0\x01]/g, (character) => (character === '\0' ? '\x01\x01' : '\x01\x02'));
}

export function fromSqlId(id: string): string {
  // eslint-disable-next-line no-control-regex -- as above
  return id.replace(/\x01([\x01\x02])/g, (_, kind: string) => (kind === '\x01' ? '\0' : '\x01'));
}
