import { expect, it } from 'vitest';
import { authorityKeysOf } from '../../../src/configuration/authority.js';
import type { JsonValue } from '../../../src/contract/json.js';

const ed25519 = 'A'.repeat(43);
const read = (...authorities: JsonValue[]): object =>
  authorityKeysOf(authorities.map((authority, i) => ({ file: `${i}.yml`, config: { authority } })));

it('keys of several files stand together, and the last of an id wins', () => {
  expect(read({ keys: { a: { ed25519 } } }, null, { keys: { a: { hmac: 'NAME' }, b: { ed25519 } } })).toEqual(
    {
      a: { hmac: 'NAME' },
      b: { ed25519 },
    },
  );
});

it.each<[JsonValue, string]>([
  ['a', 'must be a table with keys'],
  [{ key: {} }, 'unknown field key'],
  [{ keys: [] }, 'table of keys'],
  [{ keys: { 'a.b': { ed25519 } } }, 'no id of a key'],
  [{ keys: { a: ed25519 } }, 'must be {ed25519'],
  [{ keys: { a: { ed25519, hmac: 'NAME' } } }, 'must be {ed25519'],
  [{ keys: { a: { ed25519: 'short' } } }, '32 bytes in base64url'],
  [{ keys: { a: { hmac: 'not a name, but a secret' } } }, 'name of an environment variable'],
])('%j is refused, and no secret is told', (authority, why) => {
  const given = (): object => read(authority);
  expect(given).toThrow(why);
  expect(given).not.toThrow('but a secret');
});
