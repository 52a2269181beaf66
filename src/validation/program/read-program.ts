import type { TactusError } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { analyseProgram, type AnalysedProgram, type Surroundings } from './analysed-program.js';
import { candidatesOf, includedIn, requiredIn } from './required-files.js';
import type { Diagnostic } from '../diagnostic.js';
import { parse } from '../syntax/parse.js';
import { toSourceFile, type SourceFile } from '../syntax/source-file.js';
import { dryProgram, type ProcedureSummary } from '../../lua-bridge/index.js';

export interface ReadOptions {
  surroundings?: Surroundings;
  /** What may differ on a replay is an error; null or left out: where the file says `strict_determinism`. */
  strict?: boolean | null;
}

export interface ReadProgram {
  /** null where it can't be parsed, or has no code. */
  program: AnalysedProgram | null;
  diagnostics: Diagnostic[];
}

/** Parses a source with its modules, and finds out what its names are. `error`: what loading it ended with. */
export function readProgram(
  source: ProcedureSource,
  options: ReadOptions,
  error: TactusError | null,
): ReadProgram {
  try {
    return parseProgram(source, options, error);
  } catch (thrown) {
    return tooDeep(thrown, source, error);
  }
}

/** Syntax trees are walked by recursion; Lua's own parser gets further. Anything else is thrown on. */
export function tooDeep(thrown: unknown, source: ProcedureSource, error: TactusError | null): ReadProgram {
  if (!(thrown instanceof RangeError)) throw thrown;
  return { program: null, diagnostics: [notAnalysed(source.entry, error)] };
}

function parseProgram(source: ProcedureSource, options: ReadOptions, error: TactusError | null): ReadProgram {
  const { files, diagnostics } = parseFiles(source);
  const entry = files.find(({ name }) => name === source.entry) ?? null;
  if (entry === null) {
    const isRefused = error?.code === 'source_invalid';
    // What Lua takes is no mistake, whatever our parser makes of it.
    return { program: null, diagnostics: isRefused ? diagnostics : [notAnalysed(source.entry, error)] };
  }
  if (entry.chunk.body.length === 0) return { program: null, diagnostics: [emptyFile(source.entry)] };
  const program = analyseProgram({
    ...{ source, entry, files, strict: options.strict === true },
    surroundings: options.surroundings ?? { nearby: Object.keys(source.files) },
  });
  return { program, diagnostics };
}

function notAnalysed(file: string, error: TactusError | null): Diagnostic {
  const isRefused = error?.code === 'source_invalid';
  return {
    ...{ file, line: error?.toRunError().line ?? 1, column: 1 },
    ...{ severity: isRefused ? 'error' : 'warning', code: isRefused ? 'syntax_error' : 'not_analysed' },
    message: isRefused
      ? error.message.replace(/^[^\n:]+:\d+: /, '')
      : 'Lua loads this file, but it is too deeply nested to be checked',
    suggestion: 'split long expressions, or move parts into modules',
  };
}

function emptyFile(file: string): Diagnostic {
  return {
    ...{ file, line: 1, column: 1, severity: 'error', code: 'empty_file' },
    message: 'The file has no code',
    suggestion: 'write Procedure { function(input) … end }',
  };
}

/** The entry, what it requires, and whose tasks it includes, directly or not; what it runs as procedures is validated by itself. */
function parseFiles(source: ProcedureSource): { files: SourceFile[]; diagnostics: Diagnostic[] } {
  const files: SourceFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name) || !Object.hasOwn(source.files, name)) return;
    seen.add(name);
    const parsed = parse(source.files[name] ?? '');
    if ('problem' in parsed) {
      diagnostics.push({ file: name, severity: 'error', code: 'syntax_error', ...parsed.problem });
      return;
    }
    const file = toSourceFile(name, parsed);
    files.push(file);
    for (const { name: module } of requiredIn(file)) {
      const found =
        module === null
          ? undefined
          : candidatesOf(module, source.entry).find((each) => Object.hasOwn(source.files, each));
      if (found !== undefined) visit(found);
    }
    for (const included of includedIn(file)) visit(included);
  };
  visit(source.entry);
  return { files, diagnostics };
}

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
