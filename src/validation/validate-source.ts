import type { TactusError } from '../contract/errors.js';
import { procedureName, type ProcedureSource } from '../contract/procedures/source.js';
import type { ProcedureSummary } from '../lua-bridge/index.js';
import { fieldOf, lineOf, stringValue, type Node } from './syntax/ast.js';
import type { AnalysedProgram } from './program/analysed-program.js';
import { sortDiagnostics, type Diagnostic, type Severity } from './diagnostic.js';
import {
  isOfTheSource,
  load,
  missingHere,
  readProgram,
  tooDeep,
  type ReadOptions,
  type ReadProgram,
} from './program/read-program.js';
import type { Finding, Rule } from './rule.js';
import type { SourceFile } from './syntax/source-file.js';
import { growingConversation, unboundedCalls } from './rules/agents.js';
import {
  duplicateDeclaration,
  ignoredSetting,
  undeclaredReference,
  unusedDeclaration,
} from './rules/declarations.js';
import {
  checkpointLocal,
  wholeAssigns,
  effectInCallback,
  nonDeterministic,
  stateInCheckpoint,
} from './rules/determinism.js';
import { outputIncomplete, outputUnknown, wrongInput } from './rules/input-and-output.js';
import { unknownChannel, unknownNode } from './rules/graphs.js';
import {
  invalidDuration,
  missingArgument,
  missingValue,
  unknownKey,
  wrongType,
} from './rules/keys-and-arguments.js';
import {
  accidentalGlobal,
  duplicateKey,
  endlessLoop,
  formatArguments,
  unreachableCode,
  unusedLocal,
} from './rules/lua-code.js';
import { unknownMock } from './rules/mocks.js';
import { invalidSetting, unknownModelType, unknownProviderTool, wrongProvider } from './rules/models.js';
import {
  computedName,
  cyclicRequire,
  moduleNotFound,
  procedureNotFound,
  wrongCase,
} from './rules/modules.js';
import {
  colonCall,
  foreignName,
  overwrittenName,
  readOnly,
  unknownMember,
  unknownName,
} from './rules/names.js';
import { approvalCompared, refusedRequest, wrongOptions } from './rules/requests.js';
import {
  unknownFieldType,
  unknownState,
  wrongDefault,
  wrongEnum,
  wrongStateType,
  unknownInput,
  unknownPlaceholder,
} from './rules/schemas.js';

/** Every rule that looks at syntax trees. A test compares this list with the rules that the folder exports. */
export const rules: readonly Rule[] = [
  ...[unknownName, foreignName, unknownMember, colonCall, overwrittenName],
  ...[unknownKey, wrongType, missingArgument, missingValue, invalidDuration, invalidSetting, wrongOptions],
  ...[refusedRequest, ignoredSetting, wrongInput, unknownMock, unknownNode, unknownChannel],
  ...[unknownFieldType, wrongDefault, wrongEnum, unknownModelType, unknownProviderTool, wrongProvider],
  ...[unknownInput, readOnly, wrongStateType, unknownState, outputIncomplete, outputUnknown],
  ...[undeclaredReference, duplicateDeclaration, duplicateKey, unknownPlaceholder],
  ...[moduleNotFound, procedureNotFound, wrongCase, computedName, cyclicRequire],
  ...[nonDeterministic, checkpointLocal, wholeAssigns, stateInCheckpoint, effectInCallback],
  ...[approvalCompared, growingConversation, unboundedCalls],
  ...[endlessLoop, unreachableCode, formatArguments, unusedLocal, unusedDeclaration, accidentalGlobal],
];

export interface Validation {
  diagnostics: Diagnostic[];
  describe: ProcedureSummary & { name: string; specifications: SpecifiedFeature[] };
}

/** Everything that can be said of a procedure and its modules without running it. */
export function validateSource(source: ProcedureSource, options: ReadOptions = {}): Validation {
  const { summary, error } = load(source);
  const strict = options.strict ?? summary.strict_determinism;
  const { program, diagnostics } = check(readProgram(source, { ...options, strict }, error), error);
  const specifications = program === null ? [] : specificationsOf(program.entry);
  return {
    diagnostics: sortDiagnostics(diagnostics),
    describe: { ...summary, name: summary.name ?? procedureName(source), specifications },
  };
}

/** Adds what the rules find, and what a run would end with. */
function check(read: ReadProgram, error: TactusError | null): ReadProgram {
  const { program, diagnostics } = read;
  if (program === null) return read;
  try {
    const found = program.files.flatMap((file) => rules.flatMap((rule) => applied(rule, file, program)));
    const all = [...diagnostics, ...found];
    const isClean = all.every(({ severity }) => severity !== 'error');
    if (error !== null && isClean && isOfTheSource(error, isScript(program)))
      all.push(toDiagnostic(error, program));
    return { program, diagnostics: all };
  } catch (thrown) {
    return tooDeep(thrown, program.source, error);
  }
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
  if (severity !== 'error') return severity;
  for (let up: Node | undefined = node; up !== undefined; up = file.parents.get(up)) {
    const around = file.parents.get(up);
    const call = around === undefined ? undefined : file.callAt.get(around);
    const isProtected = call?.callee === 'pcall' || call?.callee === 'xpcall';
    if (up.type === 'FunctionDeclaration' && isProtected && call.args[0] === up) return 'warning';
  }
  return severity;
}

/** A script does its work at the top of the file. */
function isScript({ declared, entry, globals }: AnalysedProgram): boolean {
  if (declared.some(({ kind, file }) => kind === 'procedure' && file === entry)) return false;
  const declares = /^(Task|IncludeTasks|ClassifyProcedure)$/;
  return !globals.has('main') && !entry.calls.some(({ callee }) => declares.test(callee));
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
  const [known] = codes.find(([, pattern]) => pattern.test(message)) ?? ['load_failed'];
  return known;
}

/** What else is wrong with the source as a whole, by what the error says. */
const codes: readonly (readonly [string, RegExp])[] = [
  // Lua's parser has limits that ours lacks.
  ['syntax_error', /^(?:[^\n:]+:\d+: )?too many [\w ]+ \(limit is \d+\) in /],
  ['several_main_procedures', /main procedures; name all but one$/],
  [
    'unknown_task',
    /^(?:[^\n:]+:\d+: )?the task .+ (?:depends on|has as entry the procedure) .+, which isn't there/,
  ],
  ['cyclic_tasks', /^(?:[^\n:]+:\d+: )?tasks depend on each other: /],
];

const advice: Readonly<Record<string, string>> = {
  syntax_error: 'split long expressions, or move parts into modules',
  no_procedure: 'write Procedure { function(input) … end }, or main = Procedure {…}',
  several_main_procedures: 'assign all but one to a variable: helper = Procedure {…}',
  unknown_task: 'name a task of the file, or one within another as "other:name"',
  cyclic_tasks: 'leave out one of the dependencies',
  missing_from_build: 'leave it out, or update tactus-temporal',
  load_failed: 'the line runs when the file is loaded: look at what it needs',
};

/** A feature that is specified: its text in the procedure, or `from` a file. */
interface SpecifiedFeature {
  feature: string | null;
  scenarios: string[];
  from: string | null;
}

/** The features that a file specifies. */
function specificationsOf(file: SourceFile): SpecifiedFeature[] {
  return file.calls
    .filter(({ callee }) => /^[Ss]pecifications?$/.test(callee))
    .flatMap(({ args }): SpecifiedFeature[] => {
      const text = stringValue(args[0]);
      const from =
        args[0]?.type === 'TableConstructorExpression' ? stringValue(fieldOf(args[0], 'from')) : null;
      if (text === null) return from === null ? [] : [{ feature: null, scenarios: [], from }];
      const named = (pattern: RegExp): string[] =>
        Array.from(text.matchAll(pattern), ([, name = '']) => name.trim());
      return [
        {
          feature: named(/^\s*Feature:(.*)$/gm)[0] ?? null,
          scenarios: named(/^\s*(?:Scenario|Example|Scenario Outline|Scenario Template):(.*)$/gm),
          from: null,
        },
      ];
    });
}

/** Where an error belongs that was raised without a line: at the declaration that it names, or the last procedure. */
function unplaced(error: TactusError, { entry, declared }: AnalysedProgram): { file: string; line: number } {
  const [, kind, name] = /^(Agent|Model|Tool|Procedure)(?: "([^"]+)")?:? /.exec(error.message) ?? [];
  const meant =
    kind === undefined
      ? declared.findLast((each) => each.kind === 'procedure')
      : declared.find(
          (each) => each.kind === kind.toLowerCase() && (name === undefined || each.name === name),
        );
  if (meant === undefined) return { file: entry.name, line: 1 };
  return { file: meant.file.name, line: lineOf(meant.call.node) };
}
