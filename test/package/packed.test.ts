import { execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNpm } from '../../scripts/setup/run-npm.mjs';
import { codeBlocks } from '../support/code-blocks.js';
import { executablePaths } from '../support/executable-paths.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/**
 * Another version of the SDK than ours within the range of the peer dependencies: there is no other patch of 1.24 yet,
 * so the last release before it.
 */
const otherSdk = '1.23.0';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const run = promisify(execFile);
const { node } = executablePaths();

/** `PACKED_TEST=required`, as in `.ci/run`: where npm's registry can't be reached, this fails instead. */
const hasRegistry = await reachesRegistry();
if (!hasRegistry)
  console.warn("SKIPPED: npm's registry can't be reached, so the package can't be installed.");

async function reachesRegistry(): Promise<boolean> {
  if (process.env['PACKED_TEST'] === 'required') return true;
  const args = ['view', `@temporalio/worker@${otherSdk}`, 'version'];
  return (await runNpm(args, { node, cwd: root, timeoutMs: 20_000 })).code === 0;
}

async function npm(folder: string, ...args: string[]): Promise<string> {
  const result = await runNpm(args, { node, cwd: folder, timeoutMs: 150_000 });
  if (result.code !== 0) throw new Error(`npm ${args.join(' ')}: ${result.stderr}${result.stdout}`);
  return result.stdout;
}

/** Where a lock file has packages of the SDK, with their versions. */
function sdkOf(folder: string): Record<string, string> {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { version: string }> };
  const ofSdk = Object.entries(packages).filter(([place]) => /@temporalio\/[^/]+$/.test(place));
  return Object.fromEntries(ofSdk.map(([place, { version }]) => [place, version]));
}

/** One of each in one version, and none for other entries than those that everybody needs. */
function oneOfEach(version: string): Record<string, string> {
  const names = ['activity', 'client', 'common', 'core-bridge', 'nexus', 'proto', 'worker', 'workflow'];
  return Object.fromEntries(names.map((name) => [`node_modules/@temporalio/${name}`, version]));
}

describe.skipIf(!hasRegistry)('the packed package', () => {
  let archive: string;
  let project: string;
  let server: TestServer;
  let provider: ProviderStandIn;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const folder = temporaryFolder('packed');
    const name = await npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder, '--silent');
    archive = join(folder, name.trim());
    project = temporaryFolder('packed-project');
    const dependencies = { '@temporalio/worker': otherSdk, 'tactus-temporal': `file:${archive}` };
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
    [server, provider] = await Promise.all([startDevServer(), startProviderStandIn()]);
    provider.reply(answerByRequest);
    await npm(project, 'install', '--prefer-offline', '--ignore-scripts');
    // Nothing of this machine's but what the set-up found.
    const cache = temporaryFolder('packed-cache');
    copyFileSync(join(root, '.toolchain', 'paths.json'), join(cache, 'paths.json'));
    const { PATH, HOME } = process.env;
    const keys = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${provider.url}/v1` };
    env = { PATH, HOME, TACTUS_TEMPORAL_CACHE: cache, ...keys };
    const [procedure = ''] = codeBlocks('README.md', 'lua');
    mkdirSync(join(project, 'procedures'));
    writeFileSync(join(project, 'procedures', 'deploy.tac'), procedure);
    cpSync(join(root, 'test/support/own-workflows.ts'), join(project, 'workflows.ts'));
  });

  afterAll(async () => {
    await server.stop();
    await provider.close();
  });

  /** Writes the README's block with that in it into the project, with what a test must say otherwise. */
  function script(name: string, mark: string, changes: Record<string, string>): string[] {
    const code = codeBlocks('README.md', 'ts').find((each) => each.includes(mark)) ?? '';
    const changed = Object.entries(changes).reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, code);
    writeFileSync(join(project, name), changed);
    return [name];
  }

  it('brings one SDK to an empty project', async () => {
    const empty = temporaryFolder('packed-empty');
    writeFileSync(join(empty, 'package.json'), '{}');
    await npm(empty, 'install', '--package-lock-only', '--prefer-offline', '--ignore-scripts', archive);
    const versions = Object.values(sdkOf(empty));
    expect(sdkOf(empty)).toEqual(oneOfEach(versions[0] ?? ''));
  });

  it('leaves a project the SDK that it has', async () => {
    expect(sdkOf(project)).toEqual(oneOfEach(otherSdk));
    const { peerDependencies, version } = JSON.parse(
      readFileSync(join(project, 'node_modules/tactus-temporal/package.json'), 'utf8'),
    ) as { peerDependencies: Record<string, string>; version: string };
    const sdk = Object.entries(peerDependencies).filter(([name]) => name.startsWith('@temporalio/'));
    expect(new Set(sdk.map(([, range]) => range)).size).toBe(1);
    const command = join(project, 'node_modules/.bin/tactus-temporal');
    expect((await run(command, ['--version'], { cwd: project, env })).stdout.trim()).toBe(version);
    const doctor = await run(command, ['doctor'], { cwd: project, env });
    expect(doctor.stdout).toMatch(new RegExp(`temporal sdk +${otherSdk.replaceAll('.', '\\.')}`));
    await run(command, ['validate', 'procedures/deploy.tac'], { cwd: project, env });
  });

  it("has declarations that need nothing but its dependencies, Temporal's own aside", async () => {
    const entries = ['', '/worker', '/testing', '/workflow'];
    const lines = entries.map((entry, i) => `export * as entry${i} from 'tactus-temporal${entry}';`);
    writeFileSync(join(project, 'entries.ts'), lines.join('\n'));
    const flags = ['--strict', '--skipLibCheck', 'false', '--types', 'node', '--target', 'es2023'];
    const args = [tsc, '--noEmit', '--module', 'nodenext', ...flags, 'entries.ts'];
    const { stdout } = await run(node, args, { cwd: project }).catch((error: { stdout: string }) => error);
    const faults = stdout.split('\n').filter((line) => line.includes(': error TS'));
    expect(faults.filter((line) => !line.startsWith('node_modules/@temporalio/'))).toEqual([]);
  });

  it('is told by doctor to run a set-up that it has', async () => {
    const bare = { ...env, TACTUS_TEMPORAL_CACHE: temporaryFolder('packed-bare'), PATH: '' };
    const bin = join(project, 'node_modules/tactus-temporal/bin/tactus-temporal.mjs');
    const { stdout } = await run(node, [bin, 'doctor'], { cwd: project, env: bare }).catch(
      (error: { stdout: string }) => error,
    );
    const [, script] = /→ run: node (\S+)/.exec(stdout) ?? [];
    expect(existsSync(join(project, script ?? 'none')), stdout).toBe(true);
  });

  it('says which package a provider needs, before anything is started', async () => {
    expect(existsSync(join(project, 'node_modules/@ai-sdk/google'))).toBe(false);
    writeFileSync(
      join(project, 'foreign.tac'),
      'helper = Agent { model = "google/gemini-2.5-flash" }\nProcedure { function() return helper("Hello").text end }',
    );
    const command = join(project, 'node_modules/.bin/tactus-temporal');
    const failure = await run(command, ['run', 'foreign.tac', '--json'], { cwd: project, env }).catch(
      (error: { code: number; stdout: string }) => error,
    );
    expect(failure).toMatchObject({ code: 2 });
    const { error } = JSON.parse(failure.stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe('missing_package');
    expect(error.message).toContain('npm install @ai-sdk/google');
  });

  it("runs the README's worker and client against a server", async () => {
    const address = JSON.stringify({ address: server.env.address });
    const worker = script('worker.mts', 'new TactusPlugin', {
      "import { Worker } from '@temporalio/worker'":
        "import { NativeConnection, Worker } from '@temporalio/worker'",
      'Worker.create({': `Worker.create({ connection: await NativeConnection.connect(${address}),`,
      './workflows.js': './workflows.ts',
    });
    const client = script('client.mts', 'new TactusClient(', {
      "import { Client } from '@temporalio/client'":
        "import { Client, Connection } from '@temporalio/client'",
      'new Client()': `new Client({ connection: Connection.lazy(${address}) })`,
      'import { collectSource, TactusClient }': 'import { collectSource, readArchive, TactusClient }',
      'console.log(await run.result());': `console.log(await run.result());
const { histories } = await readArchive(await tactus.archive(run.runId, 'a test'), 'the archive');
console.log(histories.length);`,
    });
    const running = spawn(node, worker, { cwd: project, env, stdio: ['ignore', 'inherit', 'pipe'] });
    let told = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    const ended = new Promise<number | null>((resolve) => running.on('exit', resolve));
    const output = await Promise.race([
      run(node, client, { cwd: project, env }).then(({ stdout }) => stdout),
      ended.then(() => Promise.reject(new Error(`the worker ended: ${told}`))),
    ]);
    expect(output).toMatch(/^\{ published: true, notes: '.+' \}\n1\n$/);
    expect(readFileSync(join(project, 'files/notes/latest.txt'), 'utf8')).not.toBe('');
    running.kill('SIGTERM');
    expect(await ended, told).toBe(0);
  });

  it("runs the README's test, with a workflow bundle for that SDK", async () => {
    const test = script('deploy.test.mts', 'startTestEnvironment', {
      'http://127.0.0.1:4010': provider.url,
    });
    const { stdout } = await run(node, test, { cwd: project, env });
    const output = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { published: boolean };
    expect(output).toMatchObject({ published: false });
  });
});
