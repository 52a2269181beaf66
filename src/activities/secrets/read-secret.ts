import { readFileSync } from 'node:fs';
import { TactusError } from '../../contract/errors.js';
import { getOwn } from '../../contract/json/json.js';
import type { Environment } from '../../contract/environment.js';

/**
 * The secret `name`: the variable's value, else the content of the file that `<name>_FILE` names (as container
 * platforms mount them). White space around it is dropped; null where there is none.
 * @throws TactusError missing_key where the file can't be read
 */
export function readSecret(env: Environment, name: string): string | null {
  const value = getOwn(env, name)?.trim() ?? '';
  if (value !== '') return value;
  const file = getOwn(env, `${name}_FILE`) ?? '';
  if (file === '') return null;
  try {
    const content = readFileSync(file, 'utf8').trim();
    return content === '' ? null : content;
  } catch {
    throw new TactusError('missing_key', `${name}_FILE names a file that can't be read`, { variable: name });
  }
}
