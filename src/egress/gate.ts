import { isIP } from 'node:net';
import { TactusError } from '../contract/errors.js';
import { profiles, type EgressPolicy } from './egress-policy.js';
import { readRule, type Destination, type EgressRule } from './egress-rule.js';
import { specialKind } from './special-addresses.js';

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
