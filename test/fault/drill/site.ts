import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { cliFolder, type CliFolder, type Ended } from '../../support/cli-folder.js';
import { hasCollector, startCollector, type TestCollector } from '../../support/collector.js';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver.js';
import { hastyRules, startPrometheus, type TestPrometheus } from '../../support/prometheus-server.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import type { SmallDisk } from '../../support/small-disk.js';
import { startTemporalRoles, type TemporalRoles } from '../../support/temporal-roles.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

const root = resolve(import.meta.dirname, '../../..');

/** A worker or `serve`: a process with an address for its probes. */
export interface Service {
  /** What it has said on stderr. */
  said(): string;
  /** Names of the checks of `/readyz` that fail; null: it doesn't answer. */
  failing(): Promise<string[] | null>;
  kill(): Promise<void>;
  /** SIGTERM, and the wait until it is gone. */
  stop(): Promise<void>;
}

interface Kinds {
  first: Kind;
  second: Kind;
  serve: Kind;
}

interface Begun {
  server: TemporalRoles;
  provider: ProviderStandIn;
  prometheus: TestPrometheus;
  folder: CliFolder;
  receiver: OtlpReceiver;
  collector: TestCollector | null;
  kinds: Kinds;
}

interface Kind {
  args: readonly string[];
  /** Where it answers probes. */
  health: number;
  metrics: number;
}

/**
 * What is in production: a Temporal server with a process for each service, and the index, on PostgreSQL; two workers of one version, `serve`, a provider
 * of models, a collector of traces if there is one, and Prometheus with the alerts that ship, which fire at once in place of after minutes. Records of runs
 * and files of procedures are on a disk of their own if root can make one.
 */
export class Site {
  readonly server: TemporalRoles;
  readonly provider: ProviderStandIn;
  readonly prometheus: TestPrometheus;
  readonly folder: CliFolder;
  /** What the collector has sent on. */
  readonly receiver: OtlpReceiver;
  readonly #collector: TestCollector | null;
  readonly #kinds: Kinds;
  workers: Service[] = [];
  #serve: Service | null = null;

  private constructor({ server, provider, prometheus, folder, receiver, collector, kinds }: Begun) {
    [this.server, this.provider, this.prometheus] = [server, provider, prometheus];
    [this.folder, this.receiver, this.#collector, this.#kinds] = [folder, receiver, collector, kinds];
  }

  static async start(disk: SmallDisk | null): Promise<Site> {
    const provider = await startProviderStandIn();
    const server = await startTemporalRoles();
    const receiver = await startOtlpReceiver();
    const collector = hasCollector ? await startCollector(receiver.url) : null;
    const onDisk = disk?.path ?? temporaryFolder('disk');
    const folder = cliFolder({
      TEMPORAL_ADDRESS: server.address,
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      FIRST_KEY: Buffer.alloc(32, 1).toString('base64'),
      SECOND_KEY: Buffer.alloc(32, 2).toString('base64'),
      TEMPORAL_DEPLOYMENT_NAME: 'shop',
      OPERATOR_TOKEN: 'a-token-of-the-operator-that-is-long',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector?.url ?? receiver.url,
      TACTUS_TEMPORAL_INDEX: server.database,
      TACTUS_TEMPORAL_STORAGE: `file:${join(onDisk, 'records')}`,
      TACTUS_TEMPORAL_FILES: join(onDisk, 'files'),
    });
    const [health, metrics] = [await freePort(), await freePort()];
    const serve = { args: ['serve', '--port', `${health}`, '--metrics', `${metrics}`], health, metrics };
    const kinds = { first: await workerKind(), second: await workerKind(), serve };
    const at = ({ metrics: port }: Kind): string => `127.0.0.1:${port}`;
    const targets = { 'tactus-worker': [at(kinds.first), at(kinds.second)], 'tactus-serve': [at(serve)] };
    const prometheus = await startPrometheus(targets, hastyRules());
    const site = new Site({ server, provider, prometheus, folder, receiver, collector, kinds });
    site.configure('first');
    return site;
  }

  /** Writes the configuration, with this key for payloads, and only it, and a task queue that workers serve besides. */
  configure(key: 'first' | 'second' | 'both', serves: string | null = null): void {
    const keys = { first: '{ first: FIRST_KEY }', second: '{ second: SECOND_KEY }' };
    const known = key === 'both' ? '{ first: FIRST_KEY, second: SECOND_KEY }' : keys[key];
    this.folder.write(
      '.tactus/config.yml',
      `codec: { encryption: { key: ${key === 'first' ? 'first' : 'second'}, keys: ${known} } }
${serves === null ? '' : `model_queues: { openai: ${serves} }\n`}worker: { ready_lag: 2s }
server: { tokens: [{ name: operator, secret: OPERATOR_TOKEN }] }
`,
    );
  }

  /**
   * Starts two workers of a version, and `serve` where there is none. `env`: variables of theirs, `bin`: the program of another build, `isBeside`: the
   * addresses that Prometheus knows are taken by others, which still run.
   */
  async up(
    build: string,
    { env = {}, bin, isBeside = false }: { env?: NodeJS.ProcessEnv; bin?: string; isBeside?: boolean } = {},
  ): Promise<void> {
    const variables = { TEMPORAL_WORKER_BUILD_ID: build, ...env };
    const { first, second } = this.#kinds;
    const kinds = isBeside ? [await workerKind(), await workerKind()] : [first, second];
    for (const kind of kinds) this.workers.push(await this.#start(kind, variables, bin));
    this.#serve ??= await this.#start(this.#kinds.serve, {});
  }

  /** Ends all workers. */
  async down(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
  }

  get serve(): Service {
    if (this.#serve === null) throw new Error('serve was not started');
    return this.#serve;
  }

  async #start(kind: Kind, env: NodeJS.ProcessEnv, bin = this.folder.command.bin): Promise<Service> {
    const { command, path } = this.folder;
    const child = spawn(command.node, [bin, ...kind.args], {
      ...{ cwd: path, env: { ...command.env, ...env }, stdio: 'pipe' },
    });
    const service = serviceOf(child, kind.health);
    await waitUntil(async () => {
      if (child.exitCode !== null) return true;
      return (await service.failing())?.length === 0;
    });
    if (child.exitCode !== null)
      throw new Error(`${kind.args.join(' ')} ended with ${child.exitCode}: ${service.said()}`);
    return service;
  }

  /** A command, as an operator runs it. */
  run(args: readonly string[]): Promise<Ended> {
    return this.folder.runHere(args);
  }

  /** The same, which has to end with 0; what it prints with `--json`. */
  async json(args: readonly string[]): Promise<JsonObject> {
    const ended = await this.run([...args, '--json']);
    if (ended.code !== 0) throw new Error(`${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
    return ended.json();
  }

  /** Resolves when an alert fires. */
  async fires(alert: string): Promise<void> {
    await waitUntil(async () => (await this.prometheus.firing()).includes(alert), 90_000);
  }

  async close(): Promise<void> {
    await this.down();
    await this.#serve?.stop();
    await this.prometheus.stop();
    await this.#collector?.stop();
    await this.receiver.close();
    await this.server.close();
    await this.provider.close();
  }
}

/** A worker at addresses of its own. */
async function workerKind(): Promise<Kind> {
  const [health, metrics] = [await freePort(), await freePort()];
  return { args: ['worker', '--health', `${health}`, '--metrics', `${metrics}`], health, metrics };
}

function serviceOf(child: ChildProcess, health: number): Service {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<void>((done) => child.on('close', () => done()));
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    said: () => said,
    failing: async () => {
      const answer = await fetch(`http://127.0.0.1:${health}/readyz`).catch(() => null);
      const body = (await answer?.json()) as { checks: { name: string; status: string }[] } | undefined;
      return body?.checks.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])) ?? null;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** The command of a build whose workflow code asks for other activities than the histories of its runs have. */
export function brokenBuild(): string {
  const build = temporaryFolder('bad-build');
  for (const name of ['bin', 'dist', 'scripts', 'types', 'package.json'])
    cpSync(join(root, name), join(build, name), { recursive: true });
  // By this it takes itself for a clone, as this is one.
  mkdirSync(join(build, 'src'));
  symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'));
  const bundle = join(build, 'dist/workflow-bundle.js');
  writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll(/\bmodelCall\b/g, 'mdlCall'));
  return join(build, 'bin/tactus-temporal.mjs');
}
