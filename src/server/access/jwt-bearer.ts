import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { hasCode, TactusError } from '../../contract/errors.js';
import { shortBounds } from '../../egress/bounded-response.js';
import { egressFetch } from '../../egress/egress-fetch.js';
import { roles, type Authenticator, type Identity, type Role } from './identity.js';

export interface JwtOptions {
  issuer: string;
  audience: string;
  /** Where the issuer's public keys are; left out: where its OpenID configuration says. */
  jwks?: string | undefined;
  /** Claim that names the person. */
  nameClaim: string;
  /** Claim that lists the person's groups; left out: there are none. */
  groupsClaim?: string | undefined;
  /** Claim that lists the namespaces; left out: all that are served. */
  namespacesClaim?: string | undefined;
  /** Which groups have which role; left out: everybody may look, and do nothing else. */
  roles?: Partial<Record<Role, readonly string[]>> | undefined;
  /** Namespaces that are served. */
  served: readonly string[];
  /** Names of those who have tokens: an issuer says nothing of who they are. */
  taken?: readonly string[];
}

/** Signatures by a public key alone: with a shared secret, whoever verifies could sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const clockToleranceSeconds = 30;
const discoveryMs = 5_000;
/** As long as the `by` of a decision may be. */
const longestName = 500;
const fetchKeys = egressFetch({}, shortBounds);

/** Tokens of an OpenID provider, or of whoever signs JWTs with keys that are published as a JWKS. */
export class JwtBearer implements Authenticator {
  readonly mode = 'jwt';
  private keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(private readonly options: JwtOptions) {}

  async identify(token: string): Promise<Identity | null> {
    if (token.split('.').length !== 3) return null;
    const { issuer, audience } = this.options;
    try {
      const { payload } = await jwtVerify(token, await this.keySet(), {
        ...{ issuer, audience, algorithms, clockTolerance: clockToleranceSeconds },
        requiredClaims: ['exp', this.options.nameClaim],
      });
      return this.identityOf(payload);
    } catch (error) {
      throw refusal(error);
    }
  }

  private identityOf(payload: JWTPayload): Identity {
    const { nameClaim, groupsClaim, namespacesClaim, served } = this.options;
    const name = payload[nameClaim];
    if (typeof name !== 'string' || !isName(name))
      throw new TactusError('unauthenticated', `The claim ${nameClaim} of the token is not a name`);
    if ((this.options.taken ?? []).some((each) => sameName(each) === sameName(name)))
      throw new TactusError(
        'unauthenticated',
        `The token's ${nameClaim} is the name of a token in server.tokens, and nothing says that both are the same person. Whoever runs the server gives that token another name`,
      );
    if (nameClaim === 'email' && payload['email_verified'] === false)
      throw new TactusError('unauthenticated', "The token's e-mail address isn't verified");
    const groups = groupsClaim === undefined ? [] : listOf(payload, groupsClaim);
    const allowed = namespacesClaim === undefined ? served : listOf(payload, namespacesClaim);
    return {
      ...{ name, mode: 'jwt' },
      groups,
      roles: this.rolesOf(groups),
      namespaces: served.filter((namespace) => allowed.includes(namespace)),
      until: (payload.exp ?? 0) * 1_000,
    };
  }

  private rolesOf(groups: readonly string[]): readonly Role[] {
    const { roles: byRole } = this.options;
    if (byRole === undefined) return ['read'];
    return roles.filter((role) => byRole[role]?.some((group) => groups.includes(group)) === true);
  }

  private keySet(): Promise<JWTVerifyGetKey> {
    const asked = (this.keys ??= this.findKeys());
    asked.catch(() => {
      if (this.keys === asked) this.keys = null;
    });
    return asked;
  }

  private async findKeys(): Promise<JWTVerifyGetKey> {
    const { issuer, jwks } = this.options;
    if (jwks !== undefined) return keysAt(jwks);
    const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetchKeys(place, { signal: AbortSignal.timeout(discoveryMs) });
    const { jwks_uri: uri, issuer: said } = (await response.json()) as { jwks_uri?: string; issuer?: string };
    if (!response.ok || uri === undefined || said !== issuer)
      throw new Error(`${place} doesn't tell where the keys of ${issuer} are`);
    return keysAt(uri);
  }
}

function keysAt(uri: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(uri), { [customFetch]: fetchKeys });
}

/** Claims of OAuth, which are words with spaces between. */
const wordClaims = ['scope', 'scp'];

/** Groups and namespaces come as a list; a text is one of them, whatever it holds. */
function listOf(payload: JWTPayload, name: string): string[] {
  const claim = payload[name];
  const given: unknown[] = Array.isArray(claim) ? claim : [claim];
  const texts = given.filter((each) => typeof each === 'string' && each !== '') as string[];
  return wordClaims.includes(name) ? texts.flatMap((text) => text.split(' ')) : texts;
}

/** What a person can read, and tell from another name. */
function isName(text: string): boolean {
  return (
    text !== '' && text.trim() === text && text.length <= longestName && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)
  );
}

/** What names have in common that people would take for one. */
function sameName(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/** What is wrong with the token is told; that the keys can't be had isn't its fault. */
function refusal(error: unknown): unknown {
  if (hasCode(error, 'unauthenticated')) return error;
  const isOfToken = error instanceof errors.JOSEError && error.code !== errors.JOSEError.code;
  if (error instanceof errors.JWKSTimeout || !isOfToken)
    return new TactusError(
      'server_unreachable',
      'The keys of the token issuer can’t be fetched now: try again later',
    );
  if (error instanceof errors.JWTExpired) return new TactusError('unauthenticated', 'The token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new TactusError(
      'unauthenticated',
      `The claim ${error.claim} of the token is not what this server expects`,
    );
  return new TactusError('unauthenticated', 'The token is not signed by the issuer that this server trusts');
}
