import type { TactusError } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { dryProgram, type ProcedureSummary } from '../../lua-bridge/index.js';

export interface Loaded {
  summary: ProcedureSummary;
  /** What a run would end with before it did anything; null where it would begin. */
  error: TactusError | null;
}

/** Loads a source as a run does, up to its first effect, which is not performed. */
export function load(source: ProcedureSource): Loaded {
  const program = dryProgram(source, {});
  const turn = program.turn();
  const summary = program.summary();
  const error = turn.kind === 'failed' ? turn.error : null;
  // Whoever starts a run says which task.
  const isLeftOpen = error?.code === 'no_procedure' && summary.tasks.length > 0;
  return { summary, error: isLeftOpen ? null : error };
}

/** Errors that don't depend on the input that a run is given. */
const ofTheSource: readonly string[] = [
  'source_invalid',
  'no_procedure',
  'unknown_model',
  'source_not_found',
];

/**
 * Whether the error is the file's own fault. One that Lua raised counts where it came from the top of the file, and the
 * file isn't a script: what a procedure or a script does may be right with the input that it has been written for.
 */
export function isOfTheSource(error: TactusError, isScript: boolean): boolean {
  if (ofTheSource.includes(error.code)) return true;
  if (error.code !== 'lua_error' || isScript) return false;
  const { traceback } = error.toRunError();
  return traceback?.includes('in main chunk') === true;
}

/** Errors that say what this build doesn't do yet, though the language has it. */
const unsupported = [
  /^module 'tactus\.(?:biblicus|deepgram|web|io\.fs)\b.*' is not there/,
  /: tools\[\d+\] is no tool and no name of one$/,
];

/** What was asked for and can't be had here, where that is why the file doesn't load; else null. */
export function missingHere({ message }: TactusError): string | null {
  const plain = message.replace(/^[^\n:]+:\d+: /, '');
  return unsupported.some((pattern) => pattern.test(plain)) ? plain : null;
}
