import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PayloadCodec } from '@temporalio/common';
import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonValue } from '../../../contract/json/json.js';

const ofConverters = ['payloadConverterPath', 'failureConverterPath', 'externalStorage'];

/**
 * The payload codecs that a module exports, in the order in which they encode: of its `dataConverter`, else its `payloadCodecs`, else its one codec, under
 * whatever name. A class without arguments is made an instance of.
 * @param path from `folder`
 * @throws TactusError config_invalid where the module can't be loaded, or it isn't clear what its codecs are
 */
export async function loadCodecModule(path: string, folder: string): Promise<PayloadCodec[]> {
  const wrong = (problem: string): TactusError =>
    new TactusError('config_invalid', `codec.module: ${path} ${problem}`);
  const exported = await importModule(path, folder, wrong);
  const inner = isModule(exported['default']) ? exported['default'] : {};
  const named = (name: string): unknown => exported[name] ?? inner[name];
  const converter =
    named('dataConverter') ?? (isConverter(exported['default']) ? exported['default'] : undefined);
  if (converter !== undefined) return codecsOfConverter(converter, wrong);
  const list =
    named('payloadCodecs') ?? (Array.isArray(exported['default']) ? exported['default'] : undefined);
  if (list !== undefined) return codecsOfList([list].flat(), 'payloadCodecs', wrong);
  const candidates = [...new Set([...Object.values(exported), ...Object.values(inner)])];
  const found = candidates.filter(isCodec);
  const made = found.length > 0 ? found : candidates.filter(isCodecClass).map((Made) => madeOf(Made, wrong));
  const [only, other] = made;
  if (only === undefined)
    throw wrong(
      'exports no payload codec: an object with encode and decode, payloadCodecs, or dataConverter',
    );
  if (other !== undefined)
    throw wrong(
      'exports several payload codecs: export payloadCodecs, a list in the order in which they encode',
    );
  return [only];
}

type Wrong = (problem: string) => TactusError;

function madeOf(Made: new () => PayloadCodec, wrong: Wrong): PayloadCodec {
  try {
    return new Made();
  } catch (error) {
    throw wrong(
      `exports a codec that can't be made: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function importModule(path: string, folder: string, wrong: Wrong): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(resolve(folder, path)).href)) as Record<string, unknown>;
  } catch (error) {
    throw wrong(`can't be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function codecsOfConverter(converter: unknown, wrong: Wrong): PayloadCodec[] {
  if (!isModule(converter)) throw wrong('has a dataConverter that is no object');
  const odd = ofConverters.find((name) => converter[name] !== undefined);
  if (odd === 'failureConverterPath')
    throw wrong(
      'has a dataConverter with failureConverterPath: codec.encode_failures says whether failures are encoded',
    );
  if (odd !== undefined)
    throw wrong(
      `has a dataConverter with ${odd}, which only a worker of your own can use: run procedures by TactusPlugin there, or export payloadCodecs alone`,
    );
  return codecsOfList([converter['payloadCodecs'] ?? []].flat(), 'dataConverter.payloadCodecs', wrong);
}

function codecsOfList(list: unknown[], name: string, wrong: Wrong): PayloadCodec[] {
  if (list.length === 0 || !list.every(isCodec))
    throw wrong(`has a ${name} that is no list of payload codecs, which are objects with encode and decode`);
  return list;
}

function isModule(value: unknown): value is Record<string, unknown> {
  return isObject((value ?? null) as JsonValue);
}

function isConverter(value: unknown): boolean {
  return isModule(value) && ['payloadCodecs', ...ofConverters].some((name) => name in value);
}

function isCodec(value: unknown): value is PayloadCodec {
  const { encode, decode } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof encode === 'function' && typeof decode === 'function';
}

function isCodecClass(value: unknown): value is new () => PayloadCodec {
  return typeof value === 'function' && value.length === 0 && isCodec(value.prototype);
}
