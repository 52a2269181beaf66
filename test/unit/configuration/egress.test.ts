import { expect, it } from 'vitest';
import { egressPolicyOf } from '../../../src/configuration/tool-settings.js';
import type { JsonValue } from '../../../src/contract/json/json.js';

const policyOf = (...settings: JsonValue[]): unknown =>
  egressPolicyOf(settings.map((egress, i) => ({ file: `${i}.yml`, config: { egress } })));

it('whom a worker may ask is read as it is written, in one line or in parts', () => {
  const allow = [
    '*.example.com:443',
    { host: 'api.example.com', port: 8443 },
    { cidr: 'fd00::/8', port: '8000-8999' },
    { cidr: '10.0.0.0/8' },
  ];
  expect(policyOf({ profile: 'production', allow, deny: 'evil.net' })).toEqual({
    profile: 'production',
    allow: ['*.example.com:443', 'api.example.com:8443', '[fd00::]/8:8000-8999', '10.0.0.0/8'],
    deny: ['evil.net'],
  });
  expect(egressPolicyOf([{ file: 'tactus.yml', config: {} }])).toBe(null);
});

it('has the rules of all files, and the strictest profile', () => {
  const first = { profile: 'production', allow: ['a.example.com'] };
  expect(policyOf(first, { profile: 'development', allow: ['b.example.com'], deny: ['*:25'] })).toEqual({
    ...{ profile: 'production', allow: ['a.example.com', 'b.example.com'], deny: ['*:25'] },
  });
});

it.each<[JsonValue, string]>([
  [[], 'egress must be a table with profile, allow and deny'],
  [{ only: [] }, 'egress has the unknown field only'],
  [{ profile: 'strict' }, 'egress.profile must be one of development, production'],
  [{ allow: ['http://a.example'] }, 'egress.allow must be a host, an address or a network'],
  [{ deny: [{ cidr: '10.0.0.0/40' }] }, 'egress.deny must be a host, an address or a network'],
  [{ deny: [{ host: 'a', cidr: '10.0.0.0/8' }] }, 'egress.deny must have either host or cidr'],
  [{ deny: [{ port: 25 }] }, 'egress.deny must have either host or cidr'],
  [{ deny: [7] }, 'egress.deny must be text'],
])('%j is refused', (given, why) => {
  expect(() => policyOf(given)).toThrow(why);
});
