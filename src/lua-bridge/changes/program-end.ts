import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { RunError } from '../../contract/errors.js';
import type { Turn } from '../asked-effects.js';
import type { Program } from '../program.js';

/** How a program stands at the end of its log. */
export interface ProgramEnd {
  /** `waiting`: it asks for something that the log has no answer to. */
  status: 'completed' | 'failed' | 'waiting';
  output: JsonValue;
  state: JsonObject;
  error: RunError | null;
}

/** @param turn with which the program came to the end of its log */
export function endOf(program: Program, turn: Turn): ProgramEnd {
  const state = program.state();
  if (turn.kind === 'completed') return { status: 'completed', output: turn.output, state, error: null };
  if (turn.kind !== 'failed') return { status: 'waiting', output: null, state, error: null };
  return { status: 'failed', output: null, state, error: turn.error.toRunError() };
}
