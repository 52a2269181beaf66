import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Destination } from './egress-rule.js';
import type { Gate } from './gate.js';

/** Looks names up. */
export type LookUp = (
  host: string,
  options: { all: true; family?: number; hints?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looks a host up for a connection, which is made to one of the addresses that are given here, and so to one that may be asked.
 * Of several, those that may not are left out.
 */
export function guardedLookup(gate: Gate, destination: Destination, lookUp: LookUp = lookup): LookupFunction {
  return (host, options, done) => {
    const { family, hints } = options;
    const asked = {
      all: true as const,
      ...(family === undefined
        ? {}
        : { family: typeof family === 'string' ? Number(family.slice(-1)) : family }),
      ...(hints === undefined ? {} : { hints }),
    };
    lookUp(host, asked, (error, found) => {
      if (error !== null) return done(error, '');
      let refusal: Error | null = null;
      const open = found.filter(({ address }) => {
        try {
          gate.assertAddress(destination, address);
          return true;
        } catch (problem) {
          refusal ??= problem as Error;
          return false;
        }
      });
      const [first] = open;
      if (first === undefined) return done(refusal ?? new Error(`${host} has no address`), '');
      return options.all === true ? done(null, open) : done(null, first.address, first.family);
    });
  };
}
