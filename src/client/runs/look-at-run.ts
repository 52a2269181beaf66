import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import type { RunLook } from '../../contract/runs/run-look.js';
import type { TactusClient } from '../tactus-client.js';
import { describeRun, endOf } from './view-run.js';

/**
 * How a run stands, and what it ended with. `brief`: how it ended is not asked for, unless it ended without a word.
 * @throws TactusError child_failed where it is no run of a procedure
 */
export async function lookAtRun(tactus: TactusClient, id: string, brief: boolean): Promise<RunLook> {
  return brief ? briefLook(tactus, id) : { id, outcome: await outcomeOf(tactus, id) };
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
    const { status, parentExecution, raw } = await describeRun(tactus.attach(id));
    const end = endOf(status.name);
    const parent = parentExecution?.workflowId;
    const firstExecution = raw.workflowExecutionInfo?.firstRunId;
    return {
      id,
      outcome: null,
      isClosed: end !== null,
      isGone: end === 'terminated' || end === 'timed_out',
      ...(parent == null ? {} : { parent }),
      ...(firstExecution == null ? {} : { firstExecution }),
    };
  } catch (error) {
    if (!(error instanceof TactusError) || error.code !== 'run_not_found') throw error;
    return { id, outcome: null, isClosed: true, isGone: true };
  }
}
