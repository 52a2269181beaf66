import { Command } from 'commander';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { act, type Context, exitCodes } from '../command.js';
import { findEmbeddedServer, readToolchain, sdkVersions } from '../../worker/server/index.js';
import { keysSet } from '../../worker/worker-environment.js';
import { workflowBundlePath } from '../../worker/bundles/workflow-bundle.js';
import {
  grpcErrorOf,
  listRuns,
  registerSearchAttributes,
  stuckAmong,
  stuckText,
} from '../../client/index.js';
import { searchAttributeTypes } from '../../contract/names.js';
import { type Check, checkBucket, checkPlaces } from './check-places.js';
import { inspect, placed } from './config-command.js';
import { tryCodec } from '../payloads/codecs.js';
import { configure } from '../configure.js';
import { connectionTarget, workerCommand } from '../connection.js';
import { Session } from '../session.js';
import { toCommandError } from '../terminal/to-command-error.js';

/** `doctor`: checks what runs need, and says what to do about what is missing. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the set-up and print what to do')
    .option('--fix', 'register the search attributes that are missing')
    .action(
      act(async (context, { fix = false }: { fix?: boolean }) => {
        const { screen } = context;
        const checks = await diagnose(context, { isFixed: fix });
        const isHealthy = checks.every(({ status }) => status !== 'broken');
        screen.answer({ healthy: isHealthy, checks }, () =>
          checks
            .map(
              ({ name, status, detail, advice }) =>
                `${marks[status]} ${name.padEnd(18)} ${detail}${advice === null ? '' : `\n  ${' '.repeat(18)} → ${advice}`}`,
            )
            .join('\n'),
        );
        return isHealthy ? exitCodes.done : exitCodes.failed;
      }),
    );
}

const marks = { ok: '✓', warning: '!', broken: '✗' } as const;

const mostRuns = 1_000;
const leastNode = [22, 12] as const;

/**
 * Looks at everything that a run needs. Starts nothing; of keys it tells the names.
 * @param isFixed whether search attributes that are missing are registered
 */
export async function diagnose(context: Context, { isFixed }: { isFixed: boolean }): Promise<Check[]> {
  const isEmbedded = connectionTarget(context.options).connection === null;
  return [
    checkNode(),
    checkSdk(),
    checkBundle(),
    ...(await checkExecutables(isEmbedded ? 'broken' : 'warning')),
    ...(await checkConfiguration(context)),
    ...(await checkCodec(context)),
    checkKeys(),
    ...checkPlaces(context.options, isEmbedded),
    ...(await checkBucket(context.options)),
    ...(await checkServer(context, isFixed)),
  ];
}

function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail, advice: null };
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isGood = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  if (isGood) return ok('node', process.versions.node);
  return {
    name: 'node',
    status: 'broken',
    detail: process.versions.node,
    advice: `install Node ${leastNode.join('.')} or newer`,
  };
}

function checkSdk(): Check {
  const versions = sdkVersions(import.meta.url);
  const found = [...new Set(Object.values(versions))];
  if (found.length === 1 && found[0] !== null) return ok('temporal sdk', `${found[0]}`);
  const told = Object.entries(versions).map(([name, version]) => `${name} ${version ?? 'missing'}`);
  return {
    name: 'temporal sdk',
    status: 'broken',
    detail: `its packages must be of one version: ${told.join(', ')}`,
    advice: 'name @temporalio/worker in your package.json, in the version of the other packages of Temporal',
  };
}

function checkBundle(): Check {
  try {
    workflowBundlePath();
    return ok('workflow code', 'built');
  } catch (error) {
    return {
      name: 'workflow code',
      status: 'broken',
      detail: error instanceof Error ? error.message : String(error),
      advice: 'run: npm run build',
    };
  }
}

async function checkExecutables(ifMissing: Check['status']): Promise<Check[]> {
  const { temporal, localModel } = await readToolchain();
  const version = temporal === null ? null : await versionOf(temporal);
  const server: Check =
    version === null
      ? {
          name: 'temporal',
          status: ifMissing,
          detail: temporal === null ? 'not installed' : `${temporal} doesn't run`,
          advice: `run: ${setUpCommand()} (or name a server with --address)`,
        }
      : ok('temporal', version);
  const isThere = localModel !== null && existsSync(localModel.gguf) && existsSync(localModel.llamaPackage);
  const model: Check = isThere
    ? ok('local model', localModel.gguf)
    : {
        name: 'local model',
        status: 'warning',
        detail: 'not installed',
        advice: `run: ${setUpCommand()}, or set a key of a provider`,
      };
  return [server, model];
}

/** Of a clone and of an installed package alike. */
function setUpCommand(): string {
  const script = fileURLToPath(new URL('../../../scripts/setup.mjs', import.meta.url));
  return `node ${relative(process.cwd(), script)}`;
}

function versionOf(executable: string): Promise<string | null> {
  return new Promise((resolve) =>
    execFile(executable, ['--version'], { timeout: 10_000 }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : null),
    ),
  );
}

/** The configuration, whose keys of providers hold from here on; each thing that is wrong is a line of its own. */
async function checkConfiguration({ options, screen }: Context): Promise<Check[]> {
  const name = 'configuration';
  const { files, problems } = await inspect(options);
  const errors = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, message, advice }): Check => {
      return { name, status: 'broken', detail: `${placed(file, line)}${message}`, advice };
    });
  try {
    await configure(null, {}, screen);
  } catch (error) {
    // What only this reader refuses.
    if (errors.length === 0) {
      const { message } = toCommandError(error);
      return [{ name, status: 'broken', detail: message, advice: 'correct the file, or remove it' }];
    }
  }
  if (errors.length > 0) return errors;
  return [ok(name, files.length === 0 ? 'no file' : files.map(({ file }) => file).join(', '))];
}

/** The payload codec, tried on a payload of its own. */
async function checkCodec(context: Context): Promise<Check[]> {
  try {
    const name = await tryCodec(context);
    return name === null ? [] : [ok('codec', name)];
  } catch (error) {
    const { message } = toCommandError(error);
    const advice = 'correct codec in .tactus/config.yml, --codec-endpoint or TEMPORAL_CODEC_ENDPOINT';
    return [{ name: 'codec', status: 'broken', detail: message, advice }];
  }
}

function checkKeys(): Check {
  const set = keysSet(process.env);
  if (set.length > 0) return ok('keys', `${set.join(', ')} set`);
  return {
    name: 'keys',
    status: 'warning',
    detail: 'none',
    advice: `agents that name no model use the local one; set OPENAI_API_KEY, ANTHROPIC_API_KEY or that of another provider for others`,
  };
}

async function checkServer(context: Context, isFixed: boolean): Promise<Check[]> {
  const target = connectionTarget(context.options);
  if (target.connection === null && findEmbeddedServer(process.cwd()) === null)
    return [ok('server', 'embedded, not running: commands start it when they need it')];
  let session;
  try {
    session = await Session.open(context);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [
      {
        name: 'server',
        status: 'broken',
        detail,
        advice: 'start it, or correct --address and TEMPORAL_ADDRESS',
      },
    ];
  }
  try {
    return [
      ok('server', `${session.embedded === null ? '' : 'embedded, '}${session.target.address}`),
      await checkAttributes(session, isFixed),
      await checkWorker(session),
      ...(await checkRuns(session)),
    ];
  } finally {
    await session.close();
  }
}

async function checkAttributes(session: Session, isFixed: boolean): Promise<Check> {
  const { namespace, address } = session.target;
  const missing = session.missingAttributes;
  if (missing.length === 0) return ok('search attributes', 'registered');
  let refusal = '';
  if (isFixed)
    try {
      await registerSearchAttributes(session.connection, namespace, missing);
      return ok('search attributes', `${missing.join(', ')} registered just now`);
    } catch (error) {
      refusal = `; the server refuses to register them: ${grpcErrorOf(error)?.details ?? String(error)}`;
    }
  const names = missing
    .flatMap((name) => ['--name', name, '--type', searchAttributeTypes[name] ?? ''])
    .join(' ');
  return {
    name: 'search attributes',
    status: 'warning',
    detail: `${missing.join(', ')} missing: runs can't be found by them${refusal}`,
    advice: `temporal operator search-attribute create --address ${address} --namespace ${namespace} ${names}`,
  };
}

async function checkWorker(session: Session): Promise<Check> {
  const { taskQueue } = session.target;
  if (await session.worker.hasLive()) return ok('worker', `polls "${taskQueue}"`);
  if (session.embedded !== null) return ok('worker', 'none: commands start one when they need it');
  return {
    name: 'worker',
    status: 'broken',
    detail: `none polls "${taskQueue}"`,
    advice: workerCommand(session),
  };
}

/** Open runs that no worker can go on with; nothing where the server lists none. */
async function checkRuns(session: Session): Promise<Check[]> {
  const list = await listRuns(session.client, { isOpen: true, limit: mostRuns }).catch(() => null);
  if (list === null) return [];
  const stuck = [...(await stuckAmong(session.client, list.runs))].map(([id, fault]) => ({ id, fault }));
  const count = `${list.runs.length}${list.next === null ? '' : ' newest'} open, ${stuck.length === 0 ? 'none' : stuck.length} stuck`;
  if (stuck.length === 0) return [ok('runs', count)];
  return [
    {
      name: 'runs',
      status: 'broken',
      detail: [count, ...stuck.map(({ id, fault }) => `${id} ${stuckText(fault)}`)].join('; '),
      advice: stuck.every(({ fault }) => fault.cause === 'timeout')
        ? 'add workers, or give them more CPU: these runs then go on by themselves'
        : 'deploy a worker without the fault: these runs then go on by themselves',
    },
  ];
}
