import { askedWithoutThoughts } from '../../contract/agents/conversation.js';
import type { EffectRequest, Position } from '../../contract/checkpoints/checkpoint.js';
import type { Effect } from '../../contract/effects/effects.js';
import { defined, type JsonValue } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { limitsOf, type RunStarted } from '../../contract/runs/start-input.js';
import type { CarriedLog } from '../../log/pack.js';
import type { Program, ProgramOptions, Turn } from '../../lua-bridge/index.js';
import type { TactusRun } from '../tactus-run.js';
import { readCheckpoints, readShownStart } from './exact-log.js';

/** What a run gives its program, with this source; but for its log. */
export async function programOf(
  runId: string,
  { start, engine, startedAt, seed, pass }: RunStarted,
  source: ProcedureSource,
): Promise<Omit<ProgramOptions, 'carried'>> {
  // It runs Lua: whoever only reads and answers runs has no need of that.
  const { optionsOfStart } = await import('../../lua-bridge/index.js');
  return {
    ...optionsOfStart({ ...start, source }, { startedAt, seed, ...defined({ pass }) }),
    ...{ runId, engine, limits: limitsOf(start) },
  };
}

/**
 * A procedure with what is recorded of it, to be run here; null where the worker has yet to find its source.
 * @param onAsked is told of each effect that it asks for, in that order
 */
export async function replayedProgram(
  runId: string,
  started: RunStarted,
  { entries: carried, answers }: CarriedLog,
  onAsked?: (request: EffectRequest) => void,
): Promise<Program | null> {
  const { source } = started.start;
  if (source === undefined) return null;
  const { Program } = await import('../../lua-bridge/index.js');
  return new Program({ ...(await programOf(runId, started, source)), carried, answers, onAsked });
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

/** What was sent for a checkpoint, whole; undefined: it sent nothing, or it is of a pass before. */
export function wholeRequest(
  { started, effects }: RequestedEffects,
  position: Position,
): JsonValue | undefined {
  const effect = effects.get(position);
  if (effect === undefined) return undefined;
  // As in the log itself: only where somebody has asked for the content.
  const areThoughtsShown = started.start.settings?.showContent === true;
  const { kind: _, ...request } = areThoughtsShown ? effect : askedWithoutThoughts(effect);
  // Effects of one field are that field.
  const [only, ...others] = Object.values(request) as JsonValue[];
  return others.length === 0 ? (only ?? null) : (request as JsonValue);
}

/**
 * What a run has sent to models, people and others. The log keeps what came back, and of what was sent no more than its
 * digest: so the procedure is run here by its log, and asks for it again.
 * @throws TactusError usage where its content isn't shown; run_not_found; payload_too_large where what it was started with is too large for an answer
 */
export async function readRequestedEffects(run: TactusRun): Promise<RequestedEffects> {
  const started = await readShownStart(run);
  const effects = new Map<Position, Effect>();
  const carried = await readCheckpoints(run);
  const program = await replayedProgram(run.runId, started, carried, ({ position, effect }) =>
    effects.set(position, effect),
  );
  if (program !== null) runReplayed(program);
  return { started, effects };
}
