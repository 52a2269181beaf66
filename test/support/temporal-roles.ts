import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { isFree } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { ownedExecutable } from './owned-executable.js';
import { commandPart, type Part } from './part.js';
import { startPostgres, type TestPostgres } from './postgres-server.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** Temporal's server as a cluster has it: each service is a process of its own, on PostgreSQL. */
export interface TemporalRoles {
  address: string;
  client: Client;
  /** Each service. They can be killed and started again. */
  parts: Part[];
  /** A database beside those of Temporal. */
  database: string;
  /** What has all of these databases. */
  postgres: TestPostgres;
  /** Does what docker-compose.yml has done at each `up`. @throws Error with what a job said */
  doJobs(): void;
  close(): Promise<void>;
}

const root = resolve(import.meta.dirname, '../..');
const roles = ['history', 'matching', 'frontend', 'worker'] as const;
type Role = (typeof roles)[number];

/** Whether there is one here. `ROLES_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasTemporalRoles =
  process.env['ROLES_TEST'] === 'required' || (executablePaths().temporalRoles ?? null) !== null;

const settings = join(root, 'deploy/compose/temporal-settings.yml');

/** The settings of the server of docker-compose.yml, with those that stand there as comments. */
export function allServerSettings(): string {
  return readFileSync(settings, 'utf8').replaceAll(/^# (?=matching|\s+- value)/gm, '');
}

/** Its program. @throws Error where the set-up got none */
export function temporalServer(): string {
  const programs = executablePaths().temporalRoles ?? null;
  if (programs === null)
    throw new Error('There is no such server here: with ROLES_TEST=required, the set-up builds it by Go');
  return join(programs, 'server');
}

/**
 * Starts PostgreSQL and the services, with the scripts and settings of docker-compose.yml.
 * @throws Error where the set-up got none
 */
export async function startTemporalRoles(): Promise<TemporalRoles> {
  const programs = dirname(temporalServer());
  const folder = temporaryFolder('temporal-roles');
  const postgres = await startPostgres();
  const { port: databasePort } = new URL(postgres.address(''));
  const tools = { 'temporal-sql-tool': join(programs, 'sql'), temporal: executablePaths().temporal };
  for (const [name, target] of Object.entries(tools)) symlinkSync(target, join(folder, name));
  const script = (name: string, env: Record<string, string>): void =>
    void execFileSync('/bin/sh', [join(root, 'deploy/compose', name)], {
      env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const schema = (): void =>
    script('schema.sh', {
      ...{ POSTGRES_SEEDS: '127.0.0.1', POSTGRES_PORT: databasePort, POSTGRES_USER: 'tactus' },
      ...{ SQL_PASSWORD: 'none', SCHEMA: join(programs, 'schema') },
    });
  schema();
  const ports = new Map<Role, { grpc: number; membership: number }>();
  for (const role of roles) ports.set(role, { grpc: await smallPort(), membership: await smallPort() });
  const config = join(folder, 'config.yml');
  writeFileSync(config, stringify(configOf(ports, Number(databasePort))));
  const parts = roles.map((role) =>
    commandPart(
      role,
      () => startRole(ownedExecutable(temporalServer()), config, role),
      ({ stdout }) => stdout.includes(`"msg":"${role} starting"`),
    ),
  );
  // One after the other: the first writes down what cluster it is.
  for (const part of parts) await part.start();
  const address = `127.0.0.1:${ports.get('frontend')?.grpc}`;
  const connection = await waitUntil(() => Connection.connect({ address }).catch(() => false as const));
  const namespace = (): void => script('namespace.sh', { TEMPORAL_ADDRESS: address, NAMESPACE: 'default' });
  namespace();
  return {
    ...{ address, client: new Client({ connection }), parts },
    ...{ database: postgres.address('tactus'), postgres },
    doJobs: () => {
      schema();
      namespace();
    },
    close: async () => {
      await connection.close();
      for (const part of parts) await part.kill();
      await postgres.stop();
    },
  };
}

/** A free port that PostgreSQL's `smallint` holds, in which the server keeps them. */
async function smallPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    if (await isFree(port, '127.0.0.1')) return port;
  }
}

function startRole(server: string, config: string, role: Role): ChildProcess {
  const args = ['--config-file', config, '--allow-no-auth', 'start', '--service', role];
  return spawn(server, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

function configOf(
  ports: ReadonlyMap<Role, { grpc: number; membership: number }>,
  databasePort: number,
): object {
  const store = (databaseName: string): object => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName, connectProtocol: 'tcp', user: 'tactus', password: 'none' },
      ...{ connectAddr: `127.0.0.1:${databasePort}`, maxConns: 20, maxIdleConns: 20, maxConnLifetime: '1h' },
    },
  });
  const rpc = (role: Role): object => ({
    rpc: {
      grpcPort: ports.get(role)?.grpc,
      membershipPort: ports.get(role)?.membership,
      bindOnLocalHost: true,
    },
  });
  const frontend = `127.0.0.1:${ports.get('frontend')?.grpc}`;
  return {
    log: { stdout: true, level: 'info', format: 'json' },
    persistence: {
      ...{ defaultStore: 'default', visibilityStore: 'visibility', numHistoryShards: 4 },
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(roles.map((role) => [role, rpc(role)])),
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: settings, pollInterval: '10s' },
  };
}
