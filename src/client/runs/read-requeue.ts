import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import { effectTypes } from '../../contract/effects/effects.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { shellWord } from '../../contract/text/shell-word.js';
import { fork } from '../../log/pack.js';
import { failureIn, withoutFailure } from '../../log/requeue.js';
import type { TactusRun } from '../tactus-run.js';
import { assertConsent } from '../changes/change-plan.js';
import { carriedFrom, changesWith, goOnFrom, logOf, told } from '../changes/go-on.js';
import type { Fork } from './read-fork.js';

/**
 * Reads a run that has failed, and proves what another run would go on with that tries the failed call again: all that succeeded, also
 * beside the call and after it.
 * @param given the id of the other run, and who asks for it (left out: nobody is named)
 * @throws TactusError run_not_found; requeue_refused where what succeeded after the call would be done a second time; payload_too_large
 */
export async function readRequeue(
  run: TactusRun,
  { at, runId, by }: { at: Position; runId: string; by?: string | undefined },
): Promise<Fork> {
  const forkedFrom = run.runId;
  const log = await logOf(run);
  const goOn = async (kept: Checkpoint[]): Promise<Fork> => {
    const way = { source: undefined, runId, summary: `${forkedFrom}, requeued at ${at}` };
    const planned = await goOnFrom(run, { log, kept }, way);
    assertConsent(planned, { mayRepeat: true });
    const change = { kind: 'fork', position: at, run: forkedFrom } as const;
    const changes = await changesWith(run, planned, change, by);
    return { ...carriedFrom(planned, { changes }), forkedFrom, at, ...told(planned) };
  };
  const failure = failureIn(log);
  const whole = failure.at === at ? failure.kept : withoutFailure(log, at);
  try {
    return await goOn(whole);
  } catch (error) {
    if (!hasCode(error, 'non_determinism')) throw error;
  }
  const kept = fork(log, at) ?? [];
  const again = whole.filter((entry) => !kept.includes(entry) && isDone(entry));
  const [first] = again;
  if (first === undefined) return goOn(kept);
  const calls = again.length === 1 ? 'a call' : `${again.length} calls`;
  throw new TactusError(
    'requeue_refused',
    `${forkedFrom} went on after the call at ${at} had failed, and ${calls} succeeded since (${first.name} at ${first.position}), which would be made again. To do that, use tactus-temporal fork ${shellWord(forkedFrom)} --at ${at}`,
    { run_id: forkedFrom },
  );
}

/** Whether it did something that is not to be done again; a frame does nothing by itself. */
function isDone({ type, outcome }: Checkpoint): boolean {
  return outcome.ok && effectTypes.has(type);
}
