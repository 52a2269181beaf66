import { BlockList, isIP } from 'node:net';
import { TactusError } from '../contract/errors.js';

/** `production`: addresses that only the inside of a network has are reached where `allow` names them alone. */
export const profiles = ['development', 'production'] as const;

export type Profile = (typeof profiles)[number];

/**
 * Whom a worker may ask. A rule is a host (`api.example.com`, `*.example.com`, `*`), an address, or a network
 * (`10.0.5.0/24`, `fd00::/8`), with an optional port or ports (`api.example.com:8443`, `[::1]:8000-8999`).
 */
export interface EgressPolicy {
  /** Left out: `development`. */
  profile?: Profile;
  /** Left out, or empty: everybody else. */
  allow?: readonly string[];
  /** Counts more than `allow`. */
  deny?: readonly string[];
}

/** Where machines of clouds ask for their credentials, and for what they are set up with. */
const metadata = listOf(
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '169.254.169.253/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
);

/** What the registries of IANA for special purposes say can't be reached globally, with what carries an IPv4 address in an IPv6 one. */
const inside = listOf(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
);

/** What an address stands for that no address of the web at large does; null: nothing. */
function specialKind(address: string): 'metadata' | 'inside' | null {
  if (isIn(metadata, address)) return 'metadata';
  return isIn(inside, address) ? 'inside' : null;
}

function listOf(...networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Says whom a worker may ask. It is asked twice: by name before a host is looked up, and for each address that the host has. */
export interface Gate {
  /**
   * @param knowsAddresses whether those of the host will be asked about; else what is allowed by addresses alone isn't
   * @throws TactusError egress_denied where no address of the host could be reached
   */
  assertHost(destination: Destination, knowsAddresses: boolean): void;
  /** @throws TactusError egress_denied */
  assertAddress(destination: Destination, address: string): void;
}

/** @throws TactusError config_invalid where the policy has a rule that is none */
export function gateOf({ profile = 'development', allow = [], deny = [] }: EgressPolicy): Gate {
  if (!profiles.includes(profile))
    throw new TactusError('config_invalid', `egress.profile must be one of ${profiles.join(', ')}`);
  const allowed = allow.map((text) => readRule(text, 'egress.allow'));
  const denied = deny.map((text) => readRule(text, 'egress.deny'));
  const isClosed = allowed.length > 0;
  const refused = ({ host, port }: Destination, why: string, what = ''): TactusError =>
    new TactusError(
      'egress_denied',
      `The worker's egress policy doesn't let ${host}:${port}${what} be asked: ${why}`,
      {
        ...{ host, port },
      },
    );
  const byDenial = ({ text }: EgressRule): string => `egress.deny has ${text}`;
  return {
    assertHost(destination, knowsAddresses) {
      const { host } = destination;
      const denial = denied.find((rule) => rule.matchesHost(destination));
      if (denial !== undefined) throw refused(destination, byDenial(denial));
      if (isIP(host) !== 0) return this.assertAddress(destination, host);
      const isHoped = allowed.some(
        (rule) => (knowsAddresses && rule.isOfAddresses) || rule.matchesHost(destination),
      );
      if (isClosed && !isHoped) throw refused(destination, 'no rule of egress.allow matches it');
    },
    assertAddress(destination, address) {
      const { host, port } = destination;
      const at = address === host ? '' : ` (${address})`;
      const denial = denied.find((rule) => rule.matchesAddress(address, port));
      if (denial !== undefined) throw refused(destination, byDenial(denial), at);
      const isNamed = allowed.some((rule) => rule.matchesAddress(address, port));
      if (isNamed) return;
      const special = specialKind(address);
      if (special === 'metadata')
        throw refused(
          destination,
          'it gives away credentials of the machine; egress.allow must name the address',
          at,
        );
      // Whoever has the name says where it leads: that it is allowed opens nothing inside.
      if (special === 'inside' && profile === 'production')
        throw refused(
          destination,
          'the address is one of the inside of a network, and the profile is production; egress.allow must name the address or its network',
          at,
        );
      if (isClosed && !allowed.some((rule) => rule.matchesHost(destination)))
        throw refused(destination, 'no rule of egress.allow matches it', at);
    },
  };
}

/** Where a request goes to, with one of the addresses that its host has. */
export interface Destination {
  /** As `hostOf` gives it. */
  host: string;
  port: number;
}

/** A rule that was read. */
interface EgressRule {
  /** As it was written. */
  text: string;
  /** Whether it names addresses, and no names of hosts. */
  isOfAddresses: boolean;
  matchesHost(destination: Destination): boolean;
  matchesAddress(address: string, port: number): boolean;
}

const ports = /^(\d{1,5})(?:-(\d{1,5}))?$/;
const name = /^(?:\*|(?:\*\.)?[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*)$/;
const largestPort = 65_535;

/**
 * @param where named in errors
 * @throws TactusError config_invalid
 */
export function readRule(text: string, where: string): EgressRule {
  const { place, from, to } = splitRule(text, where);
  const isPort = (port: number): boolean => port >= from && port <= to;
  const network = networkOf(place, () => invalidRule(text, where));
  if (network !== null)
    return {
      ...{ text, isOfAddresses: true, matchesHost: () => false },
      matchesAddress: (address, port) => isPort(port) && isIn(network, address),
    };
  const host = place.toLowerCase().replace(/\.$/, '');
  if (!name.test(host)) throw invalidRule(text, where);
  const matches = (other: string): boolean =>
    host === '*' || (host.startsWith('*.') ? other.endsWith(host.slice(1)) : other === host);
  return {
    ...{ text, isOfAddresses: false, matchesAddress: () => false },
    matchesHost: (destination) => isPort(destination.port) && matches(destination.host),
  };
}

/** The host of an address of the web, as names are compared: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Whether an address lies in a network, IPv4 as IPv6 writes it too. */
function isIn(network: BlockList, address: string): boolean {
  // A name server of this link may give an address with the name of an interface.
  const [bare = ''] = address.split('%');
  return network.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/** Place and ports of a rule: an IPv6 address has brackets where ports follow. */
function splitRule(text: string, where: string): { place: string; from: number; to: number } {
  const given = text.trim();
  const bracketed = /^\[([^\]]*)\](\/\d+)?(?::(.*))?$/.exec(given);
  const plain = /^([^:]*)(?::([^:]*))?$/.exec(given);
  const [place, port] =
    bracketed !== null
      ? [`${bracketed[1]}${bracketed[2] ?? ''}`, bracketed[3]]
      : plain !== null
        ? [plain[1] ?? '', plain[2]]
        : [given, undefined];
  if (port === undefined) return { place, from: 0, to: largestPort };
  const [, first, last = first] = ports.exec(port) ?? [];
  const [from, to] = [Number(first), Number(last)];
  // Of what is no port comes NaN, which is no larger than anything.
  if (!(from <= to && to <= largestPort)) throw invalidRule(text, where);
  return { place, from, to };
}

function networkOf(place: string, problem: () => TactusError): BlockList | null {
  const [address = '', bits, ...rest] = place.split('/');
  const version = isIP(address);
  if (version === 0) {
    // Numbers alone are an address that somebody got wrong, and no name.
    if (bits !== undefined || place.includes(':') || /^[\d.]+$/.test(place)) throw problem();
    return null;
  }
  const most = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  if (rest.length > 0 || prefix > most) throw problem();
  const network = new BlockList();
  network.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  return network;
}

function invalidRule(text: string, where: string): TactusError {
  return new TactusError(
    'config_invalid',
    `${where} must be a host, an address or a network, with a port perhaps, such as api.example.com, *.example.com:443, 10.0.5.0/24 or [::1]:8000-8999; got ${JSON.stringify(text)}`,
  );
}
