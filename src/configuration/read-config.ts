import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TactusError } from '../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';

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
