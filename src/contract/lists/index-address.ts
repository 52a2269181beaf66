/** Where an index of runs is. */
export type IndexAddress = { postgres: string } | { file: string };

const scheme = /^([a-z][a-z\d+.-]*):/i;
/** `C:\runs.sqlite`, on Windows. */
const drive = /^[a-z]:[\\/]/i;

/**
 * Reads the address of an index: `postgres://…`, `sqlite:FILE`, `file:FILE`, the path of a file, or `:memory:`. null where it begins as
 * no such address does: it would become a file of that name, with the password that it may have.
 */
export function readIndexAddress(text: string): IndexAddress | null {
  const [begin = '', name = ''] = scheme.exec(text) ?? [];
  if (begin === '' || drive.test(text)) return { file: text };
  const kind = name.toLowerCase();
  if (kind === 'postgres' || kind === 'postgresql')
    return text.slice(begin.length).startsWith('//')
      ? { postgres: `${kind}${text.slice(name.length)}` }
      : null;
  const rest = text.slice(begin.length);
  if ((kind !== 'sqlite' && kind !== 'file') || rest === '') return null;
  // A host in it is none of this machine.
  if (/^\/\/[^/]/.test(rest)) return null;
  return { file: kind === 'file' && rest.startsWith('//') ? decoded(rest.slice(2)) : rest };
}

/** Says what an address of an index may be. It isn't quoted: it may have a password. */
export const indexAddressRule =
  'must be postgres://user@host/database, or the path of an SQLite file; a path with a colon begins with ./';

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
