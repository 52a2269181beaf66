import { type ArchiveFile, archiveRun } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { ownVersion } from '../terminal/own-command.js';
import type { Session } from '../session.js';

/**
 * A run as it would be archived at this moment, and whether it goes on.
 * @throws TactusError run_not_found, run_stuck; what an archive is refused for
 */
export async function archiveNow(
  session: Session,
  runId: string,
): Promise<{ archive: ArchiveFile; isOpen: boolean }> {
  const run = session.tactus.attach(runId);
  const description = await describeRun(run);
  await refuseStuck(run, description);
  const archive = await session.ask(() => archiveRun(session.client, run, ownVersion()));
  return { archive, isOpen: description.closeTime === undefined };
}
