import { BlockList, isIP } from 'node:net';
import { TactusError } from '../contract/errors.js';

/** Where a request goes to, with one of the addresses that its host has. */
export interface Destination {
  /** As `hostOf` gives it. */
  host: string;
  port: number;
}

/** A rule that was read. */
export interface EgressRule {
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
  const { place, from, to } = parted(text, where);
  const isPort = (port: number): boolean => port >= from && port <= to;
  const network = networkOf(place, () => wrong(text, where));
  if (network !== null)
    return {
      ...{ text, isOfAddresses: true, matchesHost: () => false },
      matchesAddress: (address, port) => isPort(port) && isIn(network, address),
    };
  const host = place.toLowerCase().replace(/\.$/, '');
  if (!name.test(host)) throw wrong(text, where);
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
export function isIn(network: BlockList, address: string): boolean {
  // A name server of this link may give an address with the name of an interface.
  const [bare = ''] = address.split('%');
  return network.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/** Place and ports of a rule: an IPv6 address has brackets where ports follow. */
function parted(text: string, where: string): { place: string; from: number; to: number } {
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
  if (!(from <= to && to <= largestPort)) throw wrong(text, where);
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

function wrong(text: string, where: string): TactusError {
  return new TactusError(
    'config_invalid',
    `${where} must be a host, an address or a network, with a port perhaps, such as api.example.com, *.example.com:443, 10.0.5.0/24 or [::1]:8000-8999; got ${JSON.stringify(text)}`,
  );
}
