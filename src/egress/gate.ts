import { BlockList, isIP } from 'node:net';
import { TactusError } from '../contract/errors.js';
import { profiles, type EgressPolicy } from './egress-policy.js';
import { isIn, readRule, type Destination, type EgressRule } from './egress-rule.js';

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
