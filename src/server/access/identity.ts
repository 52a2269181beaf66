import { TactusError } from '../../contract/errors.js';

/** What an identity may do: look; decide requests; start, cancel and feed runs. */
export const roles = ['read', 'decide', 'operate'] as const;
export type Role = (typeof roles)[number];

/** Who asks, as far as the server knows. */
export interface Identity {
  /** Goes with decisions as `by`. null: nobody has proved a name, and what a body says is a claim. */
  name: string | null;
  /** How the name was proved; `trusted-namespace`: nobody has to. */
  mode: 'token' | 'jwt' | 'trusted-namespace';
  groups: readonly string[];
  roles: readonly Role[];
  /** Namespaces that it may use. */
  namespaces: readonly string[];
  /** When it ends by itself, in ms since 1970; Infinity: never. */
  until: number;
}

/**
 * Who acts: whoever is signed in, or else who the body says, which is a claim.
 * @throws TactusError forbidden where the body names somebody else
 */
export function actorOf({ name }: Pick<Identity, 'name'>, claimed?: string): string | undefined {
  if (name !== null && claimed !== undefined && claimed !== name)
    throw new TactusError(
      'forbidden',
      `You are signed in as ${JSON.stringify(name)}, so you can't act as ${JSON.stringify(claimed)}`,
    );
  return name ?? claimed;
}

/** The same for what keeps short names alone. */
export function shortActorOf(identity: Pick<Identity, 'name'>, claimed?: string): string | undefined {
  return actorOf(identity, claimed)?.slice(0, 200) || undefined;
}

/** Finds out whose a bearer token is. */
export interface Authenticator {
  /** How it is told in status and documents. */
  readonly mode: 'token' | 'jwt';
  /** null: the token is none of this kind. @throws TactusError unauthenticated: it is, and it doesn't hold */
  identify(token: string): Promise<Identity | null>;
}

/** Who asks, as Temporal writes it into the history of a run: `http:token:ann`, `http:link:bob`, `http:webhook:payments`. */
export function temporalIdentity(mode: Identity['mode'] | 'link' | 'webhook', name: string | null): string {
  return ['http', mode, ...(name === null ? [] : [name])].join(':');
}
