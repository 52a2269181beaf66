import { newestEngine } from '../../contract/engine.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { asJson, canonicalJson, type JsonValue } from '../../contract/json/json.js';
import { limitsOf, type StartInput } from '../../contract/runs/start-input.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { optionsOfStart, Program, type ProgramOptions, type Turn } from '../../lua-bridge/index.js';
import { unpackLog } from '../../log/pack.js';
import { shortJson } from '../evaluations/expected-value.js';
import type { EndedRun, RunOptions } from '../run-once.js';
import type { PlannedScenario } from './plan-scenario.js';

/** More parts than that are looked at here and there. */
const mostParts = 100;

/** How often a run went on from a snapshot, and where it did otherwise then; null: nowhere. */
export interface ComparedParts {
  count: number;
  difference: string | null;
}

/** Where a log was to begin. */
interface Beginning {
  part: string;
  carried: readonly Checkpoint[];
}

/**
 * Compares what comes after each part of a run that is whole: once where its body has run, and once where the run goes on from a
 * snapshot of it, as after a long time. What the body changed outside of state, session and conversations is missing then.
 * Nothing outside is asked: the run is replayed here by its log.
 */
export function compareWholeParts(
  source: ProcedureSource,
  { plan: { input, mock, task }, steps }: PlannedScenario,
  { runId, folder, settings }: RunOptions,
  { log, lastPass, firstExecutionId, startedAt }: EndedRun,
): ComparedParts {
  if (log === null || log.length === 0) return { count: 0, difference: null };
  const start: StartInput & { source: ProcedureSource } = {
    ...{ source, folder, settings, mock, scenario: steps, input: lastPass?.input ?? input },
    ...(task === null ? {} : { task }),
  };
  const seed = `${runId}/${firstExecutionId}`;
  const pass = lastPass?.pass;
  const options = {
    ...optionsOfStart(start, { startedAt, seed, ...(pass === undefined ? {} : { pass }) }),
    ...{ runId, limits: limitsOf(start), engine: newestEngine },
  };
  const beginnings: Beginning[] = [];
  const whole = runWhole({
    ...options,
    carried: unpackLog(log),
    onCompacted: (part, carried) => void beginnings.push({ part, carried }),
  });
  const every = Math.ceil(beginnings.length / mostParts);
  const looked = beginnings.filter((_, index) => index % Math.max(1, every) === 0);
  for (const { part, carried } of looked) {
    const found = differenceOf(whole, runWhole({ ...options, carried }));
    if (found !== null) return { count: looked.length, difference: `from the end of ${part} on: ${found}` };
  }
  return { count: looked.length, difference: null };
}

/** What a run has come to, by what it is. */
type Came = Record<'the end' | 'the output' | 'the state' | 'the steps of the file', JsonValue>;

function runWhole(options: ProgramOptions): Came {
  const program = new Program(options);
  let turn = program.turn();
  while (turn.kind === 'slice') turn = program.turn();
  return {
    'the end': endOf(turn),
    'the output': turn.kind === 'completed' ? turn.output : null,
    'the state': program.state(),
    'the steps of the file': asJson(program.observed?.steps ?? {}),
  };
}

function endOf(turn: Turn): string {
  if (turn.kind === 'failed') return turn.error.message;
  if (turn.kind !== 'blocked') return turn.kind;
  return `asks for ${turn.asked.map(({ type, name }) => `${type} ${name}`).join(', ')}`;
}

function differenceOf(run: Came, again: Came): string | null {
  for (const [what, value] of Object.entries(run)) {
    const other = again[what as keyof Came];
    if (canonicalJson(value) !== canonicalJson(other))
      return `${what}: with its body ${shortJson(value)}, without it ${shortJson(other)}. What a whole part changes outside of state, session and conversations is lost when its run goes on: return it, or keep it in state`;
  }
  return null;
}
