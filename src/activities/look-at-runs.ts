import { getClient } from '@temporalio/activity';
// eslint-disable-next-line import-x/no-restricted-paths -- the client knows how a run ends, and what it ended with
import { TactusClient } from '../client/tactus-client.js';
// eslint-disable-next-line import-x/no-restricted-paths -- as above
import { describeRun, endOf } from '../client/view-run.js';
import type { Outcome } from '../contract/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import type { RunLook } from '../contract/run-look.js';
import { assertResultFits } from './assert-result-fits.js';
import { atEdge } from './failures.js';

export interface LookAtRunsInput {
  ids: string[];
  /** How they ended is not asked for, unless they ended without a word. */
  brief?: boolean;
}

/**
 * Looks, once, how runs stand that are no children of the one that asks.
 * @throws ApplicationFailure of type child_failed where one of them is no run of a procedure
 */
export async function lookAtRuns({ ids, brief = false }: LookAtRunsInput): Promise<RunLook[]> {
  return atEdge({ code: 'child_failed', subject: `Runs ${ids.join(', ')}`, secrets: () => [] }, async () => {
    const tactus = new TactusClient(getClient());
    const looks: RunLook[] = [];
    for (const id of ids)
      looks.push(brief ? await briefLook(tactus, id) : { id, outcome: await outcomeOf(tactus, id) });
    return assertResultFits(looks, `What ${ids.join(', ')} gave`);
  });
}

async function outcomeOf(tactus: TactusClient, id: string): Promise<Outcome | null> {
  const run = tactus.attach(id);
  try {
    const { status } = await describeRun(run);
    if (endOf(status.name) === null) return null;
    return { ok: true, value: await run.result() };
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    if (error.code === 'run_not_found') throw new TactusError('child_failed', error.message);
    return { ok: false, code: error.code, message: error.message };
  }
}

/** What closes by itself has reported how; who asks waits for the report. */
async function briefLook(tactus: TactusClient, id: string): Promise<RunLook> {
  try {
    const { status } = await describeRun(tactus.attach(id));
    const end = endOf(status.name);
    return {
      id,
      outcome: null,
      isClosed: end !== null,
      isGone: end === 'terminated' || end === 'timed_out',
    };
  } catch (error) {
    if (!(error instanceof TactusError) || error.code !== 'run_not_found') throw error;
    return { id, outcome: null, isClosed: true, isGone: true };
  }
}
