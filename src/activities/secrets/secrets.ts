import { readFileSync } from 'node:fs';
import { getOwn, setOwn } from '../../contract/json/json.js';
import type { Environment } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';

/** Names of variables whose values never leave the worker. */
const secretName = /key|token|secret|password|passwd|credential|auth|dsn/i;
/** Shorter values are words such as `true`: replacing them would only garble messages. */
const shortestSecret = 6;
/** Keys that aren't in this environment (a provider may echo another one's). */
const secretShapes = [
  /\b(?:sk|pk|rk|xox[abp]|gh[opsu]|AIza)[-_][\w*.-]{8,}/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=*-]{8,}/gi,
];
const mark = '[redacted]';

export interface Redactor {
  /** The text without the secrets, however they are written, and without what looks like a key. */
  message(text: string): string;
  /** The JSON value without the secrets in its texts and member names; all other text stays as it is. */
  value<T>(value: T): T;
}

/** Every secret value that the environment holds, or names by a `…_FILE` variable. */
export function secretsOf(env: Environment): string[] {
  const names = Object.keys(env).filter((name) => secretName.test(name));
  return names.flatMap((name) => [env[name] ?? '', ...secretOfFile(env, name)]);
}

function secretOfFile(env: Environment, name: string): string[] {
  if (!name.endsWith('_FILE')) return [];
  try {
    return [readSecret(env, name.slice(0, -'_FILE'.length)) ?? ''];
  } catch {
    return []; // A file that can't be read gave no secret away.
  }
}

/** Removes these secrets from what leaves the worker. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const spellings = spellingsOf(secrets);
  const withoutSecrets = (text: string): string =>
    spellings.reduce((rest, one) => rest.replaceAll(one, mark), text);
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutSecrets(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) setOwn(copy, withoutSecrets(key), clean(member));
    return copy;
  };
  return {
    message: (text) => secretShapes.reduce((rest, shape) => rest.replace(shape, mark), withoutSecrets(text)),
    value: <T>(value: T) => (spellings.length === 0 ? value : (clean(value) as T)),
  };
}

/** Longest first, so that a secret which contains another one goes as a whole. */
function spellingsOf(secrets: readonly string[]): string[] {
  const all = secrets.flatMap((secret) => {
    // An HTTP library that refuses a header quotes the value, line by line where it has several.
    const pieces = [secret, secret.trim(), ...secret.split(/\s+/)].filter(
      (piece) => piece.length >= shortestSecret,
    );
    return pieces.flatMap((piece) => [
      piece,
      encodeURIComponent(wellFormed(piece)),
      JSON.stringify(piece).slice(1, -1),
      Buffer.from(piece).toString('base64'),
    ]);
  });
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

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

/** The text with U+FFFD in place of halves of characters, as which it can be encoded. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
