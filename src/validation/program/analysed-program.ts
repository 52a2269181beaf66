import type { ProcedureSource } from '../../contract/procedures/source.js';
import { stringValue } from '../syntax/ast.js';
import { declarationsIn, type Declared } from './declared.js';
import { procedureScopes, type ProcedureScope } from './procedure-scope.js';
import type { SourceFile } from '../syntax/source-file.js';

/** What is around the files of a procedure: only whoever read them knows. */
export interface Surroundings {
  /** Files near those that are looked for, named relative to the procedure's folder. */
  nearby: readonly string[];
}

/** All files that share one Lua state, with what they declare together. */
export interface AnalysedProgram {
  source: ProcedureSource;
  entry: SourceFile;
  files: readonly SourceFile[];
  declared: readonly Declared[];
  procedures: readonly ProcedureScope[];
  /** Names of global variables that the files set, or that a declaration sets. */
  globals: ReadonlySet<string>;
  surroundings: Surroundings;
  /** Whether what may differ on a replay is an error. */
  strict: boolean;
}

export type ProgramParts = Omit<AnalysedProgram, 'declared' | 'procedures' | 'globals'>;

export function analyseProgram(parts: ProgramParts): AnalysedProgram {
  const { files } = parts;
  const declared = declarationsIn(files);
  return {
    ...parts,
    declared,
    procedures: files.flatMap(procedureScopes),
    globals: new Set([...files.flatMap(globalsOf), ...declared.flatMap(namesOf)]),
  };
}

/** A procedure or an agent with a name sets a global of that name; of the old dialect, one with a capital. */
function namesOf({ kind, name, call }: Declared): string[] {
  if (name === null || stringValue(call.args[0]) === null) return [];
  if (kind === 'procedure') return [name];
  const isOlder = /^(agent|model)$/.test(call.callee) && !call.isCurried;
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const pascal = name.split('_').map(capital).join('');
  if (isOlder) return [capital(name), capital(name.toLowerCase()), pascal];
  return kind === 'agent' && call.isCurried ? [name] : [];
}

function globalsOf(file: SourceFile): string[] {
  const inTable = file.nodes.flatMap((node) => {
    if (node.type !== 'AssignmentStatement') return [];
    return node.variables.flatMap((target) => {
      if (target.type === 'Identifier' || target.base.type !== 'Identifier' || target.base.name !== '_G')
        return [];
      const name = target.type === 'MemberExpression' ? target.identifier.name : stringValue(target.index);
      return name === null ? [] : [name];
    });
  });
  const tasks = file.calls.flatMap(({ callee, args }) => {
    const name = /^(Toolset|toolset|Task|Classify|Hitl|hitl)$/.test(callee) ? stringValue(args[0]) : null;
    return name === null ? [] : [name];
  });
  return [...file.scopes.writes.map(({ node }) => node.name), ...inTable, ...tasks];
}
