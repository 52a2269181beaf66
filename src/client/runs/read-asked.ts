import type { Effect } from '../../contract/effects/effects.js';
import { TactusError } from '../../contract/errors.js';
import type { Position } from '../../contract/checkpoints/position.js';
import type { RunStarted } from '../../contract/runs/run-started.js';
import { unpackLog } from '../../log/pack.js';
import { replayedProgram, runReplayed } from './replayed-program.js';
import type { TactusRun } from '../tactus-run.js';

/** All that a run has asked for, whole. */
export interface Asked {
  started: RunStarted;
  /** By position; also what is still open. Of each model call: all messages, the system prompt, tools and settings. */
  effects: ReadonlyMap<Position, Effect>;
}

/**
 * What a run has sent to models, people and others. The log keeps what came back, and of what was sent no more than its
 * digest: so the procedure is run here by its log, and asks for it again.
 * @throws TactusError usage where its content isn't shown; run_not_found; payload_too_large where the log is too large to be handed over
 */
export async function readAsked(run: TactusRun): Promise<Asked> {
  const started = await run.started();
  if (started.start.settings?.showContent === false)
    throw new TactusError(
      'usage',
      `${run.runId} was started with show_content: false; what it sent and was answered isn't shown`,
    );
  const packed = await run.packedCheckpoints();
  if (packed.length === 0)
    throw new TactusError('payload_too_large', `The log of ${run.runId} is too large to be read whole`);
  const effects = new Map<Position, Effect>();
  const carried = { entries: unpackLog(packed) };
  const program = await replayedProgram(run.runId, started, carried, ({ position, effect }) =>
    effects.set(position, effect),
  );
  if (program !== null) runReplayed(program);
  return { started, effects };
}
