import type { EffectRequest, Position } from '../../contract/checkpoints/checkpoint.js';
import type { Effect } from '../../contract/effects/effects.js';
import { TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { limitsOf, type RunStarted } from '../../contract/runs/start-input.js';
import { unpackLog, type CarriedLog } from '../../log/pack.js';
import type { Program, Turn } from '../../lua-bridge/index.js';
import type { TactusRun } from '../tactus-run.js';

/**
 * A procedure with what is recorded of it, to be run here; null where the worker has yet to find its source.
 * @param onAsked is told of each effect that it asks for, in that order
 */
export async function replayedProgram(
  runId: string,
  { start, engine, startedAt, seed, pass }: RunStarted,
  { entries: carried, answers }: CarriedLog,
  onAsked?: (request: EffectRequest) => void,
): Promise<Program | null> {
  const { source } = start;
  if (source === undefined) return null;
  // It runs Lua: whoever only reads and answers runs has no need of that.
  const { optionsOfStart, Program } = await import('../../lua-bridge/index.js');
  return new Program({
    ...optionsOfStart({ ...start, source }, { startedAt, seed, ...defined({ pass }) }),
    ...{ runId, carried, answers, engine, onAsked, limits: limitsOf(start) },
  });
}

/** Runs it up to where it asks for something that isn't recorded. Nothing is performed. */
export function runReplayed(program: Program): Turn {
  let turn = program.turn();
  while (turn.kind === 'slice') turn = program.turn();
  return turn;
}

/** All that a run has asked for, whole. */
export interface RequestedEffects {
  started: RunStarted;
  /** By position; also what is still open. Of each model call: all messages, the system prompt, tools and settings. */
  effects: ReadonlyMap<Position, Effect>;
}

/**
 * What a run has sent to models, people and others. The log keeps what came back, and of what was sent no more than its
 * digest: so the procedure is run here by its log, and asks for it again.
 * @throws TactusError usage where its content isn't shown; run_not_found; payload_too_large where the log is too large to be handed over
 */
export async function readRequestedEffects(run: TactusRun): Promise<RequestedEffects> {
  const started = await run.started();
  if (started.start.settings?.showContent === false)
    throw new TactusError(
      'usage',
      `${run.runId} was started with show_content: false; its inputs and answers can't be read`,
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
