import { Command } from 'commander';
import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { digestOf } from '../../contract/effects/digest.js';
import { act, exitCodes, interruption, type Screen, TactusError } from '../command.js';
import { accountName } from '../authority/signing-options.js';
import { findPending } from './requests.js';
import { withSession, type Session } from '../session.js';
import { ControlPlane } from './control-plane.js';
import { toCommandError } from '../terminal/to-command-error.js';

const idleMs = 250;
const shortestMs = 1_000;
/** Looking takes a fifth of the time at most, however many runs there are. */
const restPerLook = 4;

interface ControlSocketFlags {
  socket?: string;
  as?: string;
}

/** `control-socket`: lets `tactus control` of the reference list and decide the open requests of all runs. */
export function controlSocketCommand(): Command {
  return new Command('control-socket')
    .description(
      'show the open requests of all runs to `tactus control`, and take its decisions, until interrupted',
    )
    .option('--socket <path>', 'path of the socket (default: a path in /tmp that clients discover)')
    .option('--as <who>', 'name of the person who decides (default: your account)')
    .action(
      act(async (context, { socket, as }: ControlSocketFlags) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const { namespace } = session.target;
          const path = socket ?? defaultPath(session);
          const by = as ?? accountName();
          const plane = new ControlPlane({
            namespace,
            decide: ({ id, run_id: runId, digest }, value = null) =>
              session.decide(runId, { request: id, value, by, digest }),
            note: (text) => screen.note(text),
          });
          const { signal, dispose } = interruption();
          const server = await listenPrivately(path, (client) => plane.add(client));
          try {
            screen.warn(`Listening at ${path}: tactus control --socket ${path}. Ctrl-C ends it.`);
            await watch(plane, session, screen, signal);
          } finally {
            dispose();
            plane.close();
            // Takes the socket away, too.
            await new Promise((done) => server.close(done));
          }
          screen.answer({ status: 'stopped', socket: path }, () => '');
          return exitCodes.done;
        }),
      ),
    );
}

/** Looks what is open as long as somebody looks on. */
async function watch(
  plane: ControlPlane,
  session: Session,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  let trouble = '';
  while (!signal.aborted) {
    const before = Date.now();
    try {
      if (plane.isWatched) plane.update(await findPending(session, screen));
      trouble = '';
    } catch (error) {
      // It comes back, or doesn't: that is told once.
      const { message } = toCommandError(error);
      if (message !== trouble) screen.warn(message);
      trouble = message;
    }
    const pause = plane.isWatched ? Math.max(shortestMs, restPerLook * (Date.now() - before)) : idleMs;
    await wait(pause, null, { signal }).catch(() => null);
  }
}

/** Where `tactus control` looks by itself, one for each user, folder and server. */
function defaultPath({ embedded, target }: Session): string {
  const server = embedded === null ? target.address : process.cwd();
  return `/tmp/tactus-control-temporal-${digestOf([accountName(), server, target.namespace]).slice(0, 12)}.sock`;
}

/** Nobody but the user of this process, from the first moment. */
const notForOthers = 0o177;

/**
 * Listens at a path that only this user can reach. A socket that nobody listens at any more is taken away first.
 * @throws TactusError usage where another process listens there, something else lies there, or the folder isn't there
 */
async function listenPrivately(path: string, onClient: (socket: Socket) => void): Promise<Server> {
  await clear(path);
  const server = createServer(onClient);
  const before = process.umask(notForOthers);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve);
    });
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  } finally {
    process.umask(before);
  }
  chmodSync(path, 0o600);
  return server;
}

async function clear(path: string): Promise<void> {
  if (!existsSync(dirname(path))) throw unusable(path, `there is no folder ${dirname(path)}`);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unusable(path, 'there is something else');
  if (await isAnswered(path)) throw unusable(path, 'another process answers there already');
  try {
    rmSync(path);
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const end = (answered: boolean) => (): void => {
      socket.destroy();
      resolve(answered);
    };
    // One that may not be asked belongs to somebody else, and is left alone.
    socket.once('connect', end(true)).once('error', (error: NodeJS.ErrnoException) => {
      end(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')();
    });
  });
}

function unusable(path: string, reason: string): TactusError {
  return new TactusError(
    'usage',
    `Nothing can listen at ${path}: ${reason}. Name another path with --socket`,
    { path },
  );
}
