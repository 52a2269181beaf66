import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { TactusError } from '../../../contract/errors.js';

/** Nobody but the user of this process, from the first moment. */
const notForOthers = 0o177;

/**
 * Listens at a path that only this user can reach. A socket that nobody listens at any more is taken away first.
 * @throws TactusError usage where another process listens there, something else lies there, or the folder isn't there
 */
export async function listenPrivately(path: string, onClient: (socket: Socket) => void): Promise<Server> {
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
