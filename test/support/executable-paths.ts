import { readFileSync } from 'node:fs';

export interface JavaServer {
  java: string;
  folder: string;
}

export interface ExecutablePaths {
  node: string;
  temporal: string;
  temporalTestServer: string;
  natsServer: string;
  /** Its folder; null where the set-up got none. */
  postgres?: string | null;
  /** The folder of Temporal's server, its SQL tool and its schema; null where the set-up got none. */
  collector?: string | null;
  temporalRoles?: string | null;
  /** Null where the set-up got none. */
  valkeyServer?: string | null;
  hadolint?: string | null;
  /** The folder of Prometheus and promtool; null where the set-up got none. */
  helm?: { program: string; schemas: string } | null;
  prometheus?: string | null;
  /** Java and the jars of DynamoDB Local, and of S3Proxy; null where the set-up got none. */
  dynamoDb?: JavaServer | null;
  s3?: JavaServer | null;
  /** Python and the packages of the local runner of durable functions; null where the set-up got none. */
  durableFunctions?: { python: string; packages: string } | null;
  /** The same of Google's emulator of Firestore; null where this machine has none. */
  firestore?: JavaServer | null;
}

/** The executables that the set-up got: no test uses a server that happens to run elsewhere. */
export function executablePaths(): ExecutablePaths {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as ExecutablePaths;
}
