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
  /** What may differ on a replay is an error. */
  strict?: boolean;
}

export interface Validation {
  diagnostics: Diagnostic[];
  describe: ProcedureSummary & { name: string; specifications: SpecifiedFeature[] };
}

/** Everything that can be said of a procedure and its modules without running it. */
export function validateSource(source: ProcedureSource, options: ValidationOptions = {}): Validation {
  const { files, diagnostics } = parseAll(source);
  const { summary, error } = load(source);
  const entry = files.find(({ name }) => name === source.entry);
  if (entry !== undefined && isEmpty(entry)) diagnostics.push(emptyFile(source.entry));
  else if (entry !== undefined) {
    const program = analyseProgram({
      ...{ source, entry, files, missing: missingNames(), strict: options.strict === true },
      surroundings: options.surroundings ?? { nearby: Object.keys(source.files), elsewhere: [] },
    });
    diagnostics.push(...files.flatMap((file) => rules.flatMap((rule) => applied(rule, file, program))));
    const isClean = diagnostics.every(({ severity }) => severity !== 'error');
    if (error !== null && isClean && isOfTheSource(error, isScript(program), program.missing))
      diagnostics.push(toDiagnostic(error, program));
  }
  const specifications = entry === undefined ? [] : specificationsOf(entry);
  return {
    diagnostics: sortDiagnostics(diagnostics),
    describe: { ...summary, name: summary.name ?? procedureName(source), specifications },
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
      const found = module === null ? undefined : candidatesOf(module, source.entry).find((each) => Object.hasOwn(source.files, each));
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
    suggestion: finding.suggestion ?? null,
  }));
}

/** What `pcall` catches doesn't end the run: whoever writes that counts on an error. */
function milder(severity: Severity, { node }: Finding, file: SourceFile): Severity {
  const caught = file.calls.flatMap(({ callee, args: [body] }) =>
    (callee === 'pcall' || callee === 'xpcall') && body?.type === 'FunctionDeclaration' ? [body] : [],
  );
  return severity === 'error' && caught.some((body) => isWithin(node, body, file.parents)) ? 'warning' : severity;
}

function isEmpty({ chunk }: SourceFile): boolean {
  return chunk.body.length === 0;
}

function emptyFile(file: string): Diagnostic {
  return {
    ...{ file, line: 1, column: 1, severity: 'error', code: 'empty_file' },
    message: 'The file has nothing but comments',
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
  const place = line === null ? unplaced(error, program) : { file: names.find((name) => name === file || name.endsWith(`/${file}`)) ?? program.entry.name, line };
  return {
    ...{ ...place, column: 1, suggestion: null },
    ...(missingHere(error) === null
      ? { severity: 'error', code: codeOf(error) }
      : { severity: 'warning', code: 'missing_from_build' }),
    message: message.replace(/^[^\n:]+:\d+: /, ''),
  };
}

function codeOf({ code, message }: TactusError): string {
  if (code === 'no_procedure') return 'no_procedure';
  return /main procedures; name all but one$/.test(message) ? 'several_main_procedures' : 'load_failed';
}
