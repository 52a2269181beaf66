import { expect, it } from 'vitest';
import { authorityKeysOf, authorityLinksOf } from '../../../src/configuration/authority.js';
import type { JsonValue } from '../../../src/contract/json/json.js';

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

const links = (...authorities: JsonValue[]): object | null =>
  authorityLinksOf(
    authorities.map((authority, i) => ({ file: `${i}.yml`, config: { authority } })),
    { a: { ed25519 } },
  );

it('links are signed with a key that verifies, for a week unless it says otherwise', () => {
  expect(links({ keys: {} })).toBeNull();
  expect(links({ links: { key: 'a', file: 'a.pem' } })).toEqual({
    ...{ key: 'a', file: 'a.pem', validMs: 604_800_000 },
  });
  expect(
    links({ links: { key: 'b', file: 'b.pem' } }, { links: { key: 'a', secret: 'S', valid: '2h' } }),
  ).toEqual({ key: 'a', secret: 'S', validMs: 7_200_000 });
});

it.each<[JsonValue, string]>([
  [true, 'must be a table with key'],
  [{ key: 'a', file: 'f', for: 'x' }, 'unknown field for'],
  [{ file: 'f' }, 'must be the id of a key'],
  [{ key: 'a' }, 'either file or secret'],
  [{ key: 'a', file: 'f', secret: 'S' }, 'either file or secret'],
  [{ key: 'a', secret: 'no name, but a secret' }, 'name of an environment variable'],
  [{ key: 'a', file: 'f', valid: '1s' }, 'a minute or more'],
  [{ key: 'a', file: 'f', valid: 'soon' }, 'valid must be seconds'],
  [{ key: 'b', file: 'f' }, 'keys has none of that id'],
])('links of %j are refused', (given, why) => {
  const read = (): object | null => links({ links: given });
  expect(read).toThrow(why);
  expect(read).not.toThrow('but a secret');
});
