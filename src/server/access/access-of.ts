import { createHash, timingSafeEqual } from 'node:crypto';
import { readSecret } from '../../activities/secrets/secrets.js';
import type { Environment } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';
import type { ServerSettings } from '../settings.schema.js';
import { Sessions, type Access } from './authenticate.js';
import { roles, type Authenticator, type Identity } from './identity.js';
import { JwtBearer } from './jwt-bearer.js';

export interface AccessOptions {
  env: Environment;
  /** Namespaces that are served. */
  served: readonly string[];
  /** Only with the embedded server, which asks nobody for a name either, may everybody be let in. */
  isEmbedded: boolean;
}

/**
 * Who may ask, as configuration says.
 * @throws TactusError config_invalid; missing_key where a token's secret isn't there
 */
export function accessOf(settings: ServerSettings, { env, served, isEmbedded }: AccessOptions): Access {
  const { tokens, jwt } = settings;
  const authenticators: Authenticator[] = [];
  if (tokens.length > 0)
    authenticators.push(new ApiTokens(tokens.map((token) => tokenOf(token, env, served))));
  if (jwt !== undefined) {
    if (jwt.namespaces === undefined && served.length > 1)
      throw invalid(
        'server.jwt.namespaces must name the claim that says which of the namespaces one may use',
      );
    authenticators.push(
      new JwtBearer({
        ...{ issuer: jwt.issuer, audience: jwt.audience, jwks: jwt.jwks, roles: jwt.roles, served },
        taken: tokens.map(({ name }) => name),
        ...{ nameClaim: jwt.name, groupsClaim: jwt.groups, namespacesClaim: jwt.namespaces },
      }),
    );
  }
  const sessions = new Sessions();
  if (authenticators.length > 0) return { authenticators, anonymous: null, sessions };
  if (!isEmbedded)
    throw invalid(
      'nobody has to say who they are, and that is for the embedded server alone: set server.tokens or server.jwt (tactus-temporal serve token NAME makes a token)',
    );
  const anonymous: Identity = {
    ...{ name: null, mode: 'trusted-namespace', groups: [] },
    ...{ roles, namespaces: served, until: Infinity },
  };
  return { authenticators, anonymous, sessions };
}

function tokenOf(
  { name, hash, secret, roles: given, groups = [], namespaces }: ServerSettings['tokens'][number],
  env: Environment,
  served: readonly string[],
): ApiToken {
  const foreign = namespaces?.find((each) => !served.includes(each));
  if (foreign !== undefined)
    throw invalid(`the token of ${name} names the namespace ${foreign}, which isn't served`);
  if (namespaces === undefined && served.length > 1)
    throw invalid(`the token of ${name} must say which of the namespaces it is for: namespaces`);
  return {
    hash:
      hash === undefined
        ? hashOfSecret(name, secret ?? '', env)
        : Buffer.from(hash.slice('sha256:'.length), 'hex'),
    identity: {
      ...{ name, mode: 'token', groups, roles: given ?? roles },
      ...{ namespaces: namespaces ?? served, until: Infinity },
    },
  };
}

function hashOfSecret(name: string, variable: string, env: Environment): Buffer {
  const secret = readSecret(env, variable) ?? '';
  if (secret === '')
    throw new TactusError(
      'missing_key',
      `${variable}, the token of ${name}, isn't set (nor ${variable}_FILE)`,
    );
  if (secret.length < shortestToken)
    throw invalid(`${variable}, the token of ${name}, has fewer than ${shortestToken} characters`);
  return hashOfToken(secret);
}

function invalid(problem: string): TactusError {
  return new TactusError('config_invalid', problem);
}

/** A token as the server knows it. */
interface ApiToken {
  /** SHA-256 of the token, 32 bytes. */
  hash: Buffer;
  identity: Identity;
}

/** 32 random bytes need no slow hash: nobody finds them by trying. In characters. */
const shortestToken = 24;

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Tokens that the configuration has, as hashes. */
class ApiTokens implements Authenticator {
  readonly mode = 'token';

  constructor(private readonly tokens: readonly ApiToken[]) {}

  identify(token: string): Promise<Identity | null> {
    const given = hashOfToken(token);
    // All are compared, so that the time doesn't tell which one was near.
    const found = this.tokens.filter(({ hash }) => timingSafeEqual(hash, given));
    return Promise.resolve(found[0]?.identity ?? null);
  }
}
