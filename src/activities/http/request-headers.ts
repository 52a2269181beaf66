import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Environment } from '../../contract/environment.js';
import { Fault } from '../retries/fault.js';
import { readSecret } from '../secrets/read-secret.js';

/**
 * The headers of a request, with `{"secret": "NAME"}` replaced by the value of that variable (or the content of the
 * file in `NAME_FILE`) and an optional `prefix` before it: `{"secret": "TOKEN", "prefix": "Bearer "}`.
 * @throws TactusError missing_key, naming the variable; Fault where HTTP doesn't allow a header
 */
export function requestHeaders(given: JsonObject, env: Environment): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    const text = headerText(name, value, env);
    try {
      headers.set(name, text);
    } catch {
      // The platform's own message quotes the value.
      throw new Fault(`the header ${JSON.stringify(name)} has characters that HTTP doesn't allow`, {
        retryable: false,
      });
    }
  }
  return headers;
}

/** The secrets that these headers name, as far as they are there. */
export function namedSecrets(given: JsonObject, env: Environment): string[] {
  return Object.values(given).flatMap((value) => {
    const name = secretName(value);
    if (name === null) return [];
    try {
      return [readSecret(env, name) ?? ''];
    } catch {
      return [];
    }
  });
}

function headerText(header: string, value: JsonValue, env: Environment): string {
  const name = secretName(value);
  if (name === null) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return String(value);
    throw new Fault(`the header ${JSON.stringify(header)} must be a text or {"secret": "NAME"}`, {
      retryable: false,
    });
  }
  const secret = readSecret(env, name);
  if (secret === null)
    throw new TactusError(
      'missing_key',
      `The header ${header} needs the secret ${name}: set ${name} (or ${name}_FILE)`,
      { variable: name },
    );
  const prefix = isObject(value) ? value['prefix'] : undefined;
  return typeof prefix === 'string' ? prefix + secret : secret;
}

function secretName(value: JsonValue): string | null {
  const name = isObject(value) ? value['secret'] : undefined;
  return typeof name === 'string' ? name : null;
}
