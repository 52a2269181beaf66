import type { EffectRequest } from '../../contract/effects/effect-request.js';
import type { RunStarted } from '../../contract/runs/run-started.js';
import { limitsOf } from '../../contract/runs/start-input.js';
import type { CarriedLog } from '../../log/pack.js';
import type { Program, Turn } from '../../lua-bridge/index.js';

/**
 * A procedure with what is recorded of it, to be run here; null where the worker has yet to find its source.
 * @param onAsked is told of each effect that it asks for, in that order
 */
export async function replayedProgram(
  runId: string,
  { start, engine, startedAt, seed }: RunStarted,
  { entries: carried, answers }: CarriedLog,
  onAsked?: (request: EffectRequest) => void,
): Promise<Program | null> {
  const { source } = start;
  if (source === undefined) return null;
  // It runs Lua: whoever only reads and answers runs has no need of that.
  const { optionsOfStart, Program } = await import('../../lua-bridge/index.js');
  return new Program({
    ...optionsOfStart({ ...start, source }, { startedAt, seed }),
    ...{ runId, carried, answers, engine, onAsked, limits: limitsOf(start) },
  });
}

/** Runs it up to where it asks for something that isn't recorded. Nothing is performed. */
export function runReplayed(program: Program): Turn {
  let turn = program.turn();
  while (turn.kind === 'slice') turn = program.turn();
  return turn;
}
