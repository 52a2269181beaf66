import { describe, expect, it } from 'vitest';
import { gateOf, hostOf, portOf, type EgressPolicy } from '../../../src/egress/egress-policy.js';

/** Whether a policy lets an address of the web be asked, whose host has this address; a host that is one has itself. */
function isOpen(policy: EgressPolicy, text: string, address?: string): boolean {
  const gate = gateOf(policy);
  const url = new URL(text);
  const destination = { host: hostOf(url), port: portOf(url) };
  try {
    gate.assertHost(destination, true);
    if (address !== undefined) gate.assertAddress(destination, address);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'egress_denied' });
    return false;
  }
}

const production: EgressPolicy = { profile: 'production' };
const outside = '93.184.216.34';

describe('the production profile', () => {
  it.each([
    ...['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '127.0.0.1', '127.9.9.9', '0.0.0.0'],
    ...['169.254.169.254', '169.254.0.1', '100.64.0.1', '100.127.255.255', '192.0.0.192', '198.18.0.1'],
    ...['192.0.2.1', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::1', '::', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1', '2001:db8::1'],
    ...['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::7f00:1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', 'fec0::1'],
    ...['::ffff:0:127.0.0.1', '2001::1'],
  ])('keeps %s shut', (address) => {
    expect(isOpen(production, 'https://api.example.com/', address)).toBe(false);
    expect(
      isOpen({ ...production, allow: ['*', 'api.example.com'] }, 'https://api.example.com/', address),
    ).toBe(false);
  });

  it.each([
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://017700000001/', 'http://127.1/'],
    ...[
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[0:0:0:0:0:ffff:7f00:1]/',
      'http://①②⑦.0.0.1/',
    ],
    ...[
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
      'http://0/',
      'http://127.0.0.1./',
    ],
  ])('keeps %s shut', (url) => {
    expect(isOpen(production, url)).toBe(false);
  });

  it.each([outside, '1.1.1.1', '172.32.0.1', '100.63.255.255', '2606:2800:220:1::1', '::ffff:93.184.216.34'])(
    'lets %s be asked',
    (address) => {
      expect(isOpen(production, 'https://api.example.com/', address)).toBe(true);
    },
  );

  it('lets be asked inside whom an address or a network of `allow` names', () => {
    const policy = { ...production, allow: ['*', '10.0.5.0/24:8080', '::1'] };
    expect(isOpen(policy, 'http://tools.internal:8080/', '10.0.5.7')).toBe(true);
    expect(isOpen(policy, 'http://tools.internal:8081/', '10.0.5.7')).toBe(false);
    expect(isOpen(policy, 'http://tools.internal:8080/', '10.0.6.7')).toBe(false);
    expect(isOpen(policy, 'http://[::1]:99/')).toBe(true);
    expect(isOpen(policy, 'https://api.example.com/', outside)).toBe(true);
  });
});

it('without a profile the inside is open, and where clouds keep credentials is not', () => {
  expect(isOpen({}, 'http://localhost:11434/', '127.0.0.1')).toBe(true);
  expect(isOpen({}, 'http://10.0.0.1/')).toBe(true);
  for (const address of [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
  ])
    expect(isOpen({}, 'http://any.example.com/', address)).toBe(false);
  expect(isOpen({ allow: ['*', '169.254.170.2'] }, 'http://169.254.170.2/')).toBe(true);
});

describe('rules', () => {
  it.each<[string, string, boolean]>([
    ['api.example.com', 'https://api.example.com/', true],
    ['API.Example.com.', 'https://api.EXAMPLE.com./', true],
    ['api.example.com', 'https://api.example.com.evil.net/', false],
    ['api.example.com', 'https://xapi.example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://badexample.com/', false],
    ['api.example.com:443', 'https://api.example.com/', true],
    ['api.example.com:443', 'http://api.example.com/', false],
    ['api.example.com:8000-8999', 'http://api.example.com:8500/', true],
    ['api.example.com:8000-8999', 'http://api.example.com:9000/', false],
    ['*:443', 'https://anything.net/', true],
    ['*:443', 'http://anything.net/', false],
    ['93.184.216.0/24', 'https://any.name/', true],
    ['93.184.216.34:443', 'https://any.name/', true],
    ['93.184.216.34:444', 'https://any.name/', false],
    ['93.184.217.0/24', 'https://any.name/', false],
    ['xn--bcher-kva.example', 'https://bücher.example/', true],
  ])('%s and %s', (rule, url, matches) => {
    expect(isOpen({ allow: [rule] }, url, outside)).toBe(matches);
    expect(isOpen({ deny: [rule] }, url, outside)).toBe(!matches);
    // What is denied is denied, whatever else is allowed.
    expect(isOpen({ allow: ['*', rule], deny: [rule] }, url, outside)).toBe(!matches);
  });

  it('of addresses let nobody in whose addresses aren’t known', () => {
    const gate = gateOf({ allow: ['10.0.0.0/8'] });
    const destination = { host: 'any.name', port: 80 };
    expect(() => gate.assertHost(destination, true)).not.toThrow();
    expect(() => gate.assertHost(destination, false)).toThrow('no rule of egress.allow matches it');
  });

  it.each([
    ...['', 'a b', 'http://a/', 'a:0-', 'a:99999', 'a:9-8', 'a:x', '10.0.0.0/33', '10.0.0/8', '999.1.1.1'],
    ...['*a.com', 'a.*', '**', '::1/129', '[::1', 'a/8', '10.0.0.0/8/8', '-a.com', '::1:80:zz'],
  ])('%j is none', (rule) => {
    expect(() => gateOf({ deny: [rule] })).toThrow(/egress\.deny must be a host/);
  });

  it('say what was asked, and why it was refused', () => {
    const gate = gateOf({ ...production, deny: ['*.evil.net'] });
    const at = (host: string): { host: string; port: number } => ({ host, port: 443 });
    expect(() => gate.assertHost(at('a.evil.net'), true)).toThrow(
      "The worker's egress policy doesn't let a.evil.net:443 be asked: egress.deny has *.evil.net",
    );
    expect(() => gate.assertAddress(at('a.b'), '10.0.0.1')).toThrow(
      'a.b:443 (10.0.0.1) be asked: the address is one of the inside of a network, and the profile is production',
    );
  });
});
