import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { unpackCarried, type CarriedLog } from '../../log/pack.js';
import type { ExactLog } from './export/exact-log.js';
import { readHanded } from './read-handed.js';
import type { TactusRun } from '../tactus-run.js';

/**
 * All that a run goes on by, however large its log is.
 * @throws TactusError usage where its content isn't shown; run_not_found; payload_too_large where what it was started with is
 *   too large for an answer
 */
export async function readExactLog(run: TactusRun): Promise<ExactLog> {
  const started = await run.started();
  if (started.start.settings?.showContent === false)
    throw new TactusError(
      'usage',
      `${run.runId} was started with show_content: false; what it was given and answered is not handed out`,
    );
  const work = await readHanded(run);
  return { started, ...(await readCheckpoints(run)), ...(work === null ? {} : { work }) };
}

/** Its checkpoints as they are, and answers that were recorded elsewhere and that it hasn't asked for. */
export async function readCheckpoints(run: TactusRun): Promise<CarriedLog> {
  const entries: Checkpoint[] = [];
  for (;;) {
    const page = unpackCarried(await run.checkpointsPage(entries.length));
    for (const entry of page.entries) entries.push(entry);
    const { answers } = page;
    if (page.entries.length === 0) return { entries, ...(answers === undefined ? {} : { answers }) };
  }
}
