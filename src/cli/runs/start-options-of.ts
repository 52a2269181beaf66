import { isAbsolute, resolve } from 'node:path';
import { folderOf } from '../../client/procedures/folder-of.js';
import type { StartOptions } from '../../client/start-options.js';
import type { ReadProcedure } from '../procedures/read-procedure.js';
import type { Session } from '../session.js';

/** What a run of a procedure that was read here is started with, now or by a schedule. */
export function startOptionsOf(
  { file, task, settings, longestMs }: ReadProcedure,
  session: Session,
): Omit<StartOptions, 'runId'> {
  // A worker elsewhere has files of its own, and ours has none but those of its folder.
  const folder = folderOf(resolve(file), session.files.path);
  const isWithin = session.embedded !== null && !isAbsolute(folder);
  return {
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(task === undefined ? {} : { task }),
    ...(isWithin ? { folder } : {}),
    ...(longestMs === null ? {} : { timeout: `${longestMs}ms` }),
  };
}
