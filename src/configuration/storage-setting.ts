import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../contract/json/json.js';
import { storageKind, storageKinds, whyNoMirror } from '../contract/storage/storage-place.js';

/** What a table of a type of storage takes. */
interface Table {
  /** What its address begins with, which has to be there. */
  place: readonly [string, ...string[]];
  /** What may come behind that, as a path. */
  folder?: string;
  /** What may be said behind the `?` of its address. */
  asked?: readonly string[];
  /** Whether its address has slashes before the place. */
  hasSlashes?: boolean;
}

const tables: Record<string, Table> = {
  file: { place: ['path'] },
  sqlite: { place: ['path'] },
  postgres: { place: ['url'] },
  redis: { place: ['url'] },
  dynamodb: { place: ['table'], asked: ['region', 'endpoint'] },
  s3: { place: ['bucket'], folder: 'folder', asked: ['region', 'endpoint'], hasSlashes: true },
  cosmos: { place: ['account', 'database', 'container'], asked: ['endpoint'], hasSlashes: true },
  firestore: { place: ['project', 'collection'], asked: ['database', 'endpoint'], hasSlashes: true },
  lambda: { place: ['function'], asked: ['region', 'endpoint'] },
};

/**
 * The address of a storage, from the setting `storage`: the address itself, or a table that says the same in names, such as
 * `{type: dynamodb, table: tactus-checkpoints}`, as the storages of Tactus's design are made.
 * @throws TactusError config_invalid naming the setting; its values aren't told, as they may have a password
 */
export function storageAddress(value: JsonValue, file: string): string {
  const wrong = (problem: string): TactusError =>
    new TactusError('config_invalid', `${file}: storage ${problem}`, { file });
  const address = isObject(value) ? ofTable(value, wrong) : value;
  if (typeof address !== 'string') throw wrong('must be text, or a table with a type');
  if (storageKind(address) === null)
    throw wrong(`must begin with one of ${storageKinds.map((kind) => `${kind}:`).join(', ')}`);
  const reason = whyNoMirror(address);
  if (reason !== null) throw wrong(reason);
  return address;
}

function ofTable(
  table: Readonly<Record<string, JsonValue>>,
  wrong: (problem: string) => TactusError,
): string {
  const type = getOwn(table, 'type');
  const known = typeof type === 'string' ? getOwn(tables, type) : undefined;
  if (typeof type !== 'string' || known === undefined)
    throw wrong(`must have a type, one of ${Object.keys(tables).join(', ')}`);
  const { place, folder, asked = [], hasSlashes = false } = known;
  const names = [...place, ...(folder === undefined ? [] : [folder]), ...asked];
  const unknown = Object.keys(table).filter((name) => name !== 'type' && !names.includes(name));
  if (unknown.length > 0) throw wrong(`of type ${type} takes ${names.join(', ')}, not ${unknown.join(', ')}`);
  const texts = new Map<string, string>();
  for (const name of names) {
    const value = getOwn(table, name) ?? null;
    if (value === null) continue;
    if (typeof value !== 'string' || value === '')
      throw wrong(`of type ${type} has a ${name} that is no text`);
    texts.set(name, value);
  }
  const missing = place.find((name) => !texts.has(name));
  if (missing !== undefined) throw wrong(`of type ${type} needs a ${missing}`);
  const path = [...place, ...(folder === undefined ? [] : [folder])]
    .flatMap((name) => texts.get(name) ?? [])
    .join('/');
  if (place[0] === 'url') return path;
  const query = new URLSearchParams(
    asked.flatMap((name) => {
      const value = texts.get(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    }),
  ).toString();
  return `${type}:${hasSlashes ? '//' : ''}${path}${query === '' ? '' : `?${query}`}`;
}
