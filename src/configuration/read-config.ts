import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TactusError } from '../contract/errors.js';
import {
  canonicalJson,
  getOwn,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../contract/json/json.js';

/**
 * One file of the cascade, by its path from the working folder.
 * @throws TactusError config_invalid with the line, where it is no YAML, or no table of settings
 */
export async function readConfig(file: string, workingFolder: string): Promise<JsonObject> {
  // Most procedures have no configuration: it is loaded where there is some.
  // The reference's YAML is that of 1.1, where `yes` is true.
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const text = await readFile(resolve(workingFolder, file), 'utf8').catch((error: Error) => {
    throw new TactusError('config_invalid', `${file} can't be read: ${error.message}`, { file });
  });
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.1' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new TactusError('config_invalid', `${file}:${line}: ${error.message}`, { file, line });
  }
  const config = document.toJS() as JsonValue | undefined;
  if (config === null || config === undefined) return {};
  if (isObject(config)) return config;
  // `x.yml` beside `x.tac` may be something else altogether.
  if (!/(\.tac|config|tactus)\.yml$/.test(file)) return {};
  throw new TactusError(
    'config_invalid',
    `${file} must be a table of settings, such as default_model: gpt-5-mini`,
    {
      file,
    },
  );
}

/** Two files of the cascade as one: tables are merged, lists joined without repeating, all else replaced. */
export function mergeConfig(weaker: JsonObject, stronger: JsonObject): JsonObject {
  const merged = { ...weaker };
  for (const [name, value] of Object.entries(stronger)) {
    const before = getOwn(weaker, name);
    setOwn(merged, name, before === undefined ? value : mergeValues(before, value));
  }
  return merged;
}

function mergeValues(weaker: JsonValue, stronger: JsonValue): JsonValue {
  if (isObject(weaker) && isObject(stronger)) return mergeConfig(weaker, stronger);
  if (!Array.isArray(weaker) || !Array.isArray(stronger)) return stronger;
  const known = new Set(weaker.map(canonicalJson));
  return [...weaker, ...stronger.filter((each) => !known.has(canonicalJson(each)))];
}
