import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { noCodec, type CodecSettings } from '../contract/payloads/codec-settings.js';
import { storageKind, storageKinds, whyNoMirror } from '../contract/storage/storage-place.js';
import { readEncryption } from './encryption-settings.js';
import { configInvalid, readTable, readText } from './setting-values.js';

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

/** The setting, which counts in files that hold for all procedures alone: it loads code and reads every payload. */
export const codecSetting = 'codec';

const codecFields = ['module', 'endpoint', 'headers', 'encryption', 'encode_failures'];

/**
 * What several files say of the payload codec; the last one counts as a whole.
 * @throws TactusError config_invalid
 */
export function codecOf(configs: readonly { file: string; config: JsonObject }[]): CodecSettings {
  let codec = noCodec;
  for (const { file, config } of configs) {
    const given = getOwn(config, codecSetting) ?? null;
    if (given !== null) codec = readCodec(given, `${file}: ${codecSetting}`);
  }
  return codec;
}

function readCodec(given: JsonValue, where: string): CodecSettings {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with module, endpoint or encryption`);
  const odd = Object.keys(given).find((key) => !codecFields.includes(key));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${codecFields.join(', ')}`);
  const { module = null, endpoint = null, encryption = null, headers = null } = given;
  const { encode_failures: encodes = true } = given;
  if ([module, endpoint, encryption].filter((each) => each !== null).length !== 1)
    throw configInvalid(`${where} must have one of module, endpoint and encryption`);
  if (headers !== null && endpoint === null)
    throw configInvalid(`${where}.headers are sent to a codec server: they need an endpoint`);
  if (typeof encodes !== 'boolean') throw configInvalid(`${where}.encode_failures must be true or false`);
  return {
    module: module === null ? null : readText(module, `${where}.module`),
    endpoint: endpoint === null ? null : readEndpoint(endpoint, `${where}.endpoint`),
    headers: headers === null ? {} : readHeaders(headers, `${where}.headers`),
    encryption: encryption === null ? null : readEncryption(encryption, `${where}.encryption`),
    encodesFailures: encodes,
  };
}

/** The address is not told: somebody may have written a password into it. */
function readEndpoint(given: JsonValue, where: string): string {
  const endpoint = readText(given, where);
  if (!isCodecEndpoint(endpoint)) throw configInvalid(`${where} ${codecEndpointRule}`);
  return endpoint;
}

/** A header that none can be is refused before the first payload. */
function readHeaders(given: JsonValue, where: string): Record<string, string> {
  const headers = readTable(given, where);
  try {
    new Headers(headers);
  } catch {
    throw configInvalid(`${where} has a name or a value that no HTTP header can have`);
  }
  return headers;
}

/** What is said of an address that can't be one of a codec server, behind where it stands. */
export const codecEndpointRule =
  'must be an address that begins with http:// or https://, without a user name and a query; TEMPORAL_CODEC_AUTH is the Authorization header';

/** Whether an address can be one of a codec server. */
export function isCodecEndpoint(text: string): boolean {
  const address = text.replaceAll('{namespace}', 'default');
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}
