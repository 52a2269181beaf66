import type { TactusError } from '../contract/errors.js';
import { procedureName, type ProcedureSource } from '../contract/source.js';
import type { ProcedureSummary } from '../lua-bridge/index.js';
import { isWithin } from './ast.js';
import { analyseProgram, type AnalysedProgram, type Surroundings } from './analysed-program.js';
import { sortDiagnostics, type Diagnostic, type Severity } from './diagnostic.js';
import { isOfTheSource, load, missingHere } from './load.js';
import { missingNames } from './missing-names.js';
import { parse } from './parse.js';
import type { Finding, Rule } from './rule.js';
import { rules } from './rules.js';
import { candidatesOf, requiredIn } from './required-files.js';
import { toSourceFile, type SourceFile } from './source-file.js';
import { specificationsOf, type SpecifiedFeature } from './specifications.js';
import { unplaced } from './unplaced.js';

export interface ValidationOptions {
  surroundings?: Surroundings;
  /** What may differ on a replay is an error; null or left out: where the file says `strict_determinism`. */
  strict?: boolean | null;
}

export interface Validation {
  diagnostics: Diagnostic[];
  describe: ProcedureSummary & { name: string; specifications: SpecifiedFeature[] };
}

/** Everything that can be said of a procedure and its modules without running it. */
export function validateSource(source: ProcedureSource, options: ValidationOptions = {}): Validation {
  const { summary, error } = load(source);
  const strict = options.strict ?? summary.strict_determinism;
  const { entry, diagnostics } = analysed(source, { ...options, strict }, error);
  const specifications = entry === null ? [] : specificationsOf(entry);
  return {
    diagnostics: sortDiagnostics(diagnostics),
    describe: { ...summary, name: summary.name ?? procedureName(source), specifications },
  };
}

interface Analysed {
  /** null where it can't be parsed. */
  entry: SourceFile | null;
  diagnostics: Diagnostic[];
}

function analysed(source: ProcedureSource, options: ValidationOptions, error: TactusError | null): Analysed {
  try {
    return analyse(source, options, error);
  } catch (thrown) {
    // Syntax trees are walked by recursion; Lua's own parser gets further.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { entry: null, diagnostics: [notAnalysed(source.entry, error)] };
  }
}

function analyse(source: ProcedureSource, options: ValidationOptions, error: TactusError | null): Analysed {
  const { files, diagnostics } = parseAll(source);
  const entry = files.find(({ name }) => name === source.entry) ?? null;
  if (entry === null) {
    const isRefused = error?.code === 'source_invalid';
    // What Lua takes is no mistake, whatever our parser makes of it.
    return { entry, diagnostics: isRefused ? diagnostics : [notAnalysed(source.entry, error)] };
  }
  if (entry.chunk.body.length === 0) return { entry, diagnostics: [emptyFile(source.entry)] };
  const program = analyseProgram({
    ...{ source, entry, files, missing: missingNames(), strict: options.strict === true },
    surroundings: options.surroundings ?? { nearby: Object.keys(source.files) },
  });
  diagnostics.push(...files.flatMap((file) => rules.flatMap((rule) => applied(rule, file, program))));
  const isClean = diagnostics.every(({ severity }) => severity !== 'error');
  if (error !== null && isClean && isOfTheSource(error, isScript(program), program.missing))
    diagnostics.push(toDiagnostic(error, program));
  return { entry, diagnostics };
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

/** The entry and what it requires, directly or not; what it runs as procedures is validated by itself. */
function parseAll(source: ProcedureSource): { files: SourceFile[]; diagnostics: Diagnostic[] } {
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
    const file = toSourceFile(name, parsed.chunk);
    files.push(file);
    for (const { name: module } of requiredIn(file)) {
      const found =
        module === null
          ? undefined
          : candidatesOf(module, source.entry).find((each) => Object.hasOwn(source.files, each));
      if (found !== undefined) visit(found);
    }
  };
  visit(source.entry);
  return { files, diagnostics };
}

function applied(rule: Rule, file: SourceFile, program: AnalysedProgram): Diagnostic[] {
  const at = ({ node }: Finding): Pick<Diagnostic, 'line' | 'column'> => ({
    line: node.loc?.start.line ?? 1,
    column: (node.loc?.start.column ?? 0) + 1,
  });
  return Array.from(rule.check(file, program), (finding) => ({
    file: file.name,
    ...at(finding),
    severity: milder(finding.severity ?? rule.severity, finding, file),
    code: rule.code,
    message: finding.message,
    suggestion: finding.suggestion,
  }));
}

/** What `pcall` catches doesn't end the run: whoever writes that counts on an error. */
function milder(severity: Severity, { node }: Finding, file: SourceFile): Severity {
  const caught = file.calls.flatMap(({ callee, args: [body] }) =>
    (callee === 'pcall' || callee === 'xpcall') && body?.type === 'FunctionDeclaration' ? [body] : [],
  );
  return severity === 'error' && caught.some((body) => isWithin(node, body, file.parents))
    ? 'warning'
    : severity;
}

function emptyFile(file: string): Diagnostic {
  return {
    ...{ file, line: 1, column: 1, severity: 'error', code: 'empty_file' },
    message: 'The file has no code',
    suggestion: 'write Procedure { function(input) … end }',
  };
}

/** A script does its work at the top of the file. */
function isScript({ declared, entry, globals }: AnalysedProgram): boolean {
  return !declared.some(({ kind, file }) => kind === 'procedure' && file === entry) && !globals.has('main');
}

function toDiagnostic(error: TactusError, program: AnalysedProgram): Diagnostic {
  const { file, line, message } = error.toRunError();
  const names = program.files.map(({ name }) => name);
  const place =
    line === null
      ? unplaced(error, program)
      : {
          file: names.find((name) => name === file || name.endsWith(`/${file}`)) ?? program.entry.name,
          line,
        };
  const code = missingHere(error) === null ? codeOf(error) : 'missing_from_build';
  return {
    ...{ ...place, column: 1, suggestion: advice[code] ?? null },
    ...{ severity: code === 'missing_from_build' ? 'warning' : 'error', code },
    message: message.replace(/^[^\n:]+:\d+: /, ''),
  };
}

function codeOf({ code, message }: TactusError): string {
  if (code === 'no_procedure') return 'no_procedure';
  return /main procedures; name all but one$/.test(message) ? 'several_main_procedures' : 'load_failed';
}

const advice: Readonly<Record<string, string>> = {
  no_procedure: 'write Procedure { function(input) … end }, or main = Procedure {…}',
  several_main_procedures: 'assign all but one to a variable: helper = Procedure {…}',
  missing_from_build: 'leave it out, or update tactus-temporal',
  load_failed: 'the line runs when the file is loaded: look at what it needs',
};
