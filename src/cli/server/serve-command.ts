import { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  aborted,
  act,
  exitCodes,
  interruption,
  ownVersion,
  type Context,
  type Screen,
  collect,
  readPort,
} from '../command.js';
import { withSession, type Session } from '../session.js';
import { metricsVariable } from '../../contract/environment.js';
import { configure } from '../configure.js';
import { MemoryStreams } from '../../streams/memory-streams.js';
import { openStreams } from '../../streams/nats-streams.js';
import { openTraces } from '../../traces/index.js';
import type { StreamReader } from '../../streams/run-streams.js';
import type { RunIndex } from '../../read-model/run-index.js';
import type { RunningServer, SeenMessages, ServedNamespace } from '../../server/index.js';
import type { ServerSettings } from '../../server/settings.schema.js';
import { Readiness, temporalProbe, type Probe } from '../../client/index.js';
import { beginService, withServiceOptions, type ServiceFlags } from '../health/begin-service.js';
import { beginMetrics, beginServerMeters } from '../health/service-meters.js';
import { missingForModels, tellMissing } from '../worker/missing-models.js';
import type { ConfiguredLinks } from '../authority/link-signer.js';

/** `serve`: the HTTP API; `serve token NAME`: a token for it; `serve openapi`: its description. */
export function serveCommand(): Command {
  const command = withServiceOptions(
    new Command('serve').description(
      'serve the HTTP API until interrupted; with the embedded server, also run a worker',
    ),
  )
    .option('--port <number>', 'port to listen on; 0 for any free port (default: 8700)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--metrics <address>', 'address of Prometheus metrics: a port, or address:port (default: none)')
    .option('--procedures <dir>', 'folder of procedures that may be started; may be repeated', collect, [])
    .action(
      act(async (context, flags: ServeFlags) => {
        if (flags.metrics !== undefined) process.env[metricsVariable] = flags.metrics;
        if (!(await beginService(context, flags))) return exitCodes.done;
        const { signal, dispose } = interruption();
        try {
          const settings = await serveOptions(flags, context.screen);
          await withSession(context, (session) => serveHere(session, context, settings, signal));
          return exitCodes.done;
        } finally {
          dispose();
        }
      }),
    );
  command
    .command('token')
    .description('create a token for the HTTP API: the token itself, and its entry for the configuration')
    .argument('<name>', 'name of the token: decisions are recorded with it')
    .action(
      act(async ({ screen }, _flags: object, name: string) => {
        const { hashOfToken } = await import('../../server/index.js');
        const token = `tactus_${randomBytes(32).toString('base64url')}`;
        const hash = `sha256:${hashOfToken(token).toString('hex')}`;
        screen.answer({ name, token, hash }, () =>
          [
            `${token}`,
            '',
            `is the token of ${name}, and is shown this once. Add to .tactus/config.yml:`,
            ...['', 'server:', '  tokens:', `    - name: ${JSON.stringify(name)}`, `      hash: ${hash}`],
          ].join('\n'),
        );
        return exitCodes.done;
      }),
    );
  command
    .command('openapi')
    .description('print the OpenAPI document of the HTTP API, as JSON')
    .action(
      act(async ({ screen }) => {
        const { apiDocument } = await import('../../server/index.js');
        const document = apiDocument(ownVersion());
        screen.answer(document, () => JSON.stringify(document, null, 2));
        return exitCodes.done;
      }),
    );
  return command;
}

/**
 * Serves the HTTP API until it is interrupted. The embedded server has no worker of its own: one works in this process.
 * @throws TactusError config_invalid, missing_key, usage
 */
async function serveHere(
  session: Session,
  { screen, options: { verbose } }: Context,
  { host, port, folders, settings, groups, links }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { startServer } = await import('../../server/index.js');
  const { accessOf } = await import('../../server/index.js');
  const { signingKeyOf } = await import('../../server/access/read-signing-key.js');
  const { webhooksOf } = await import('../../server/index.js');
  const { AuditFile } = await import('../../server/index.js');
  const { uploadLimitsOf } = await import('../../server/settings.schema.js');
  const { FolderProcedures, requestMeter } = await import('../../server/index.js');
  const isEmbedded = session.embedded !== null;
  const served = settings.namespaces ?? [session.target.namespace];
  const access = accessOf(settings, { env: process.env, served, isEmbedded });
  const signingKey = signingKeyOf(settings, access, { env: process.env, workingFolder: process.cwd() });
  let told = '';
  // What goes on being wrong is told once.
  const onTrouble = (problem: string): void => {
    if (problem !== told) screen.warn(problem);
    told = problem;
  };
  const ofBroker = openStreams(process.env, onTrouble);
  const streams = ofBroker ?? (isEmbedded ? new MemoryStreams() : null);
  const traces = openTraces(process.env, onTrouble);
  let seen: SeenMessages | null = null;
  try {
    seen = await seenMessages(settings);
    // Before the worker, whose runtime is the same.
    if (settings.metrics !== undefined)
      await beginMetrics(settings.metrics, { verbose: verbose === true, screen });
    const worker = isEmbedded
      ? await session.worker.start({
          ...{ performs: true, warms: true },
          procedureFolders: folders,
          ...(streams === null ? {} : { streams }),
        })
      : null;
    if (worker !== null) tellMissing(await missingForModels(folders), screen);
    const readiness = new Readiness([temporalProbe(session.client), ...(worker?.probes ?? [])]);
    const hasRuntime = settings.metrics !== undefined || worker !== null;
    const meter = hasRuntime ? (await import('../../worker/index.js')).exportedMeter() : null;
    const serve = async (index: RunIndex | null): Promise<void> => {
      if (index !== null) readiness.add([indexProbe(index)]);
      const count = meter === null ? null : requestMeter(meter);
      const server = await startServer({
        ...{ host, port, access, streams, onTrouble, version: ownVersion() },
        namespaces: served.map((name) => ({
          name,
          ...{ files: session.payloadStore, signingKey, onTrouble },
          // An index has the runs of one namespace.
          ...indexed(session, name, streams, name === session.target.namespace ? index : null),
        })),
        procedures: new FolderProcedures({
          ...{ folders, workingFolder: process.cwd(), env: process.env },
          filesRoot: isEmbedded ? session.files.path : null,
        }),
        ...{ hosts: settings.hosts, origins: settings.origins },
        ...{ perMinute: settings.per_minute, mostStreams: settings.streams },
        ...{
          uploadBytes: settings.upload_bytes,
          uploadLimits: uploadLimitsOf(settings),
          publicUrl: settings.url ?? null,
          pages: fileURLToPath(new URL('../../page/', import.meta.url)),
        },
        webhooks: webhooksOf(settings, { env: process.env, served, ...(seen === null ? {} : { seen }) }),
        audit:
          settings.audit === 'off'
            ? null
            : new AuditFile(resolve(settings.audit ?? join('.tactus-temporal', 'audit.jsonl')), onTrouble),
        ...{ links, traces },
        readiness,
        onRequest: (level, request, route) => {
          count?.(request, route);
          screen.log(level, `${request.method} ${request.path} ${request.status}`, { ...request });
        },
      });
      const endMeters = await beginServerMeters(meter, { readiness, index, groups, session, onTrouble });
      try {
        printServer(screen, server, served);
        await Promise.race([aborted(signal), ...(worker === null ? [] : [worker.ended])]);
        screen.note('Ending …');
        readiness.drain();
        // Whoever sends requests here looks every few seconds whether it may.
        await delay(settings.drain_delay ?? 0);
      } finally {
        endMeters();
        await server.close();
      }
    };
    try {
      await serve(await session.index());
    } finally {
      await worker?.stop();
    }
  } finally {
    await traces?.close();
    await streams?.close();
    await seen?.close();
  }
}

/** A list that can't be read is empty for people, or is asked of every run. */
function indexProbe(index: RunIndex): Probe {
  return {
    name: 'lists',
    look: async () => {
      await index.runs({ limit: 1 });
      return null;
    },
  };
}

/** Where messages of webhooks are noted; null where none are taken. */
async function seenMessages(settings: ServerSettings): Promise<SeenMessages | null> {
  if (Object.keys(settings.webhooks).length === 0) return null;
  const { SeenInFile } = await import('../../server/index.js');
  return SeenInFile.open(resolve(settings.webhooks_file ?? join('.tactus-temporal', 'webhooks.sqlite')));
}

function indexed(
  session: Session,
  namespace: string,
  streams: StreamReader | null,
  index: RunIndex | null,
): Pick<ServedNamespace, 'tactus' | 'isIndexed'> {
  return { tactus: session.tactusOf(namespace, streams, index), isIndexed: index !== null };
}

function printServer(
  screen: Screen,
  { url, host, port, authentication }: RunningServer,
  namespaces: string[],
): void {
  screen.answer({ url, host, port, authentication, namespaces }, () => url);
  screen.note(
    authentication.includes('trusted-namespace')
      ? 'Authentication: trusted-namespace. Whoever can log in to this machine may decide, by any name. Ctrl-C ends it.'
      : `Authentication: ${authentication.join(', ')}. Ctrl-C ends it.`,
  );
}

export interface ServeFlags extends ServiceFlags {
  port?: string;
  host?: string;
  metrics?: string;
  procedures: string[];
}

/** What `serve` was told, by flags and by configuration. */
interface ServeOptions {
  host: string;
  port: number;
  folders: string[];
  settings: ServerSettings;
  groups: Readonly<Record<string, readonly string[]>>;
  /** What links are looked at and answered with; null: none are taken. */
  links: ConfiguredLinks | null;
}

const defaultPort = 8_700;

/** Flags stand above configuration. @throws TactusError config_invalid, usage */
export async function serveOptions(
  { port, host, procedures }: ServeFlags,
  screen: Screen,
): Promise<ServeOptions> {
  const { server, links, authorityKeys, settings: ofRuns } = await configure(null, {}, screen);
  const { linkSigner } = await import('../authority/link-signer.js');
  const { readServerSettings } = await import('../../server/settings.schema.js');
  const settings = readServerSettings(server, process.env);
  const folders = procedures.length > 0 ? procedures : (settings.procedures ?? ['.']);
  return {
    host: host ?? settings.host ?? '127.0.0.1',
    port: port === undefined ? (settings.port ?? defaultPort) : readPort(port),
    folders: folders.map((folder) => resolve(folder)),
    settings,
    groups: ofRuns.groups ?? {},
    links: linkSigner(links, authorityKeys),
  };
}
