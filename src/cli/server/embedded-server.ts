import { usualFilesFolder } from '../../contract/files/data-file.js';
import { usualModelsFolder } from '../../contract/predictions/loaded-models.js';
import { ensureEmbeddedServer, requireTemporal, type ServerRecord } from '../../worker/server/index.js';
import { readDuration, type Screen } from '../command.js';

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
    onUpgrade: () =>
      screen.warn(
        `Procedures have their files in ${usualFilesFolder}/ now: up to 0.8.0 it was this folder. Move what they use there, or name the folder by the setting files_folder or by --files ("." is this one). Models lie in ${usualModelsFolder}/, or where models_folder says.`,
      ),
    onStart: () => screen.note(screen.paint.dim('Starting the embedded Temporal server …')),
  });
}
