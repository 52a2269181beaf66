import { TactusError } from '../errors.js';
import type { JsonValue } from '../json/json.js';

/**
 * What a worker in Python may read of models though it can run code, such as a pickle: a JSON list of hashes of files,
 * `sha256:…`, and of folders below its folder of models.
 */
export const trustedModelsVariable = 'TACTUS_TEMPORAL_TRUSTED_MODELS';

const hash = /^sha256:[0-9a-f]{64}$/;

/**
 * @param where named in errors
 * @throws TactusError config_invalid where it is no list of hashes and folders
 */
export function readTrustedModels(given: JsonValue, where: string): string[] {
  const list: readonly JsonValue[] = Array.isArray(given) ? given : [given];
  return list.map((each) => {
    if (typeof each !== 'string' || each === '' || (each.startsWith('sha256:') && !hash.test(each)))
      throw new TactusError(
        'config_invalid',
        `${where} must be a list of hashes (sha256: and 64 digits of hex) and of folders in the folder of models`,
      );
    return each;
  });
}
