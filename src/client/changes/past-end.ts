import type { ProgramEnd } from '../../lua-bridge/index.js';
import { programOf } from '../runs/replayed-program.js';
import type { PastRun } from './past-runs.js';
import { toItsEnd } from './prove.js';

/** How a run stands at the end of its log, by its own source, which is run here; null: the run has no source. Nothing is performed. */
export async function pastEnd({ runId, started, log }: PastRun): Promise<ProgramEnd | null> {
  const { source } = started.start;
  if (source === undefined) return null;
  const { Proof } = await import('../../lua-bridge/index.js');
  const after = { ...(await programOf(runId, started, source)), carried: log };
  const proof = new Proof({ log, before: null, after, open: [] });
  await toItsEnd(proof);
  return proof.ends.after;
}
