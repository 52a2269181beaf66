import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, type JsonObject } from '../contract/json/json.js';

/** The setting, which counts in files that hold for all procedures alone: who writes one doesn't say who may decide. */
export const serverSetting = 'server';

/** What a file says of `serve`, unchecked. @throws TactusError config_invalid where it is no table */
export function serverOf({ file, config }: { file: string; config: JsonObject }): JsonObject {
  const given = getOwn(config, serverSetting) ?? {};
  if (isObject(given)) return given;
  throw new TactusError('config_invalid', `${file}: ${serverSetting} must be a table`, { file });
}
