import { noCodec, type CodecSettings } from '../contract/payloads/codec-settings.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { invalid, readTable, readText } from './setting-values.js';

/** The setting, which counts in files that hold for all procedures alone: it loads code and reads every payload. */
export const codecSetting = 'codec';

const known = ['module', 'endpoint', 'headers', 'encode_failures'];

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
  if (!isObject(given)) throw invalid(`${where} must be a table with module or endpoint`);
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw invalid(`${where} has the unknown field ${odd}; there are ${known.join(', ')}`);
  const { module = null, endpoint = null, headers = null, encode_failures: encodes = true } = given;
  if ((module === null) === (endpoint === null))
    throw invalid(`${where} must have either module or endpoint`);
  if (headers !== null && endpoint === null)
    throw invalid(`${where}.headers are sent to a codec server: they need an endpoint`);
  if (typeof encodes !== 'boolean') throw invalid(`${where}.encode_failures must be true or false`);
  return {
    module: module === null ? null : readText(module, `${where}.module`),
    endpoint: endpoint === null ? null : readEndpoint(endpoint, `${where}.endpoint`),
    headers: headers === null ? {} : readHeaders(headers, `${where}.headers`),
    encodesFailures: encodes,
  };
}

/** The address is not told: somebody may have written a password into it. */
function readEndpoint(given: JsonValue, where: string): string {
  const endpoint = readText(given, where);
  if (!isCodecEndpoint(endpoint)) throw invalid(`${where} ${codecEndpointRule}`);
  return endpoint;
}

/** A header that none can be is refused before the first payload. */
function readHeaders(given: JsonValue, where: string): Record<string, string> {
  const headers = readTable(given, where);
  try {
    new Headers(headers);
  } catch {
    throw invalid(`${where} has a name or a value that no HTTP header can have`);
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
