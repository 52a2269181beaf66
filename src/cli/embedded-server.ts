import { ensureEmbeddedServer } from '../worker/embedded-server/embedded-server.js';
import type { ServerRecord } from '../worker/embedded-server/server-record.js';
import { requireTemporal } from '../worker/toolchain.js';
import { readDuration } from './read-duration.js';
import type { Screen } from './screen.js';

const defaultIdle = '1h';

/**
 * The embedded server of the working folder. It stops when no command has used it for an hour, or for
 * TACTUS_TEMPORAL_SERVER_IDLE; 0 means never. A worker, and a command that follows a run, use it all the time.
 */
export function embeddedServer(
  screen: Screen,
  idle = process.env['TACTUS_TEMPORAL_SERVER_IDLE'],
  webUi = false,
): Promise<ServerRecord> {
  return ensureEmbeddedServer({
    workingFolder: process.cwd(),
    temporal: requireTemporal,
    idleMs: readDuration(idle === undefined || idle === '' ? defaultIdle : idle, 'The idle time'),
    webUi,
    onStart: () => screen.note(screen.paint.dim('Starting the embedded Temporal server …')),
  });
}
