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
