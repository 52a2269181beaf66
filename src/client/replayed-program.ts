import type { Checkpoint } from '../contract/checkpoint.js';
import type { EffectRequest } from '../contract/effect-request.js';
import type { RunStarted } from '../contract/run-started.js';
import { limitsOf } from '../contract/start-input.js';
import type { Turn } from '../lua-bridge/index.js';

/**
 * Runs a procedure here, by what is recorded of it, up to where it asks for something new. Nothing is performed.
 * @param onAsked is told of each effect that it asks for, in that order
 */
export async function replayProgram(
  runId: string,
  { start, engine, startedAt, seed }: RunStarted,
  carried: readonly Checkpoint[],
  onAsked?: (request: EffectRequest) => void,
): Promise<Turn | null> {
  const { source, input = {}, task, settings, folder, mock, scenario, drift } = start;
  if (source === undefined) return null; // the worker has yet to find it
  // It runs Lua: whoever only reads and answers runs has no need of that.
  const { Program } = await import('../lua-bridge/index.js');
  const program = new Program({
    ...{ source, input, task, settings, folder, mock, scenario, drift },
    ...{ runId, carried, startedAt, seed, engine, onAsked, limits: limitsOf(start) },
  });
  let turn = program.turn();
  while (turn.kind === 'slice') turn = program.turn();
  return turn;
}
