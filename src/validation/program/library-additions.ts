import type { Expression, Node } from '../syntax/ast.js';
import { getOwn } from '../../contract/json/json.js';
import type { AnalysedProgram } from './analysed-program.js';
import type { SourceFile } from '../syntax/source-file.js';
import { surface } from '../../language/surface.js';

/** Lua's own libraries: a procedure may add functions to them, as `string.trim`. */
const libraries = new Set(['string', 'table', 'math', 'os', 'utf8', 'coroutine']);

/** What the files of the program add to libraries, as `string.trim`. */
export function additionsIn(program: AnalysedProgram): ReadonlySet<string> {
  const targets = program.files.flatMap((file) =>
    file.nodes.flatMap(targetsOf).map((target) => addition(target, file, program)),
  );
  return new Set(targets.filter((name) => name !== null));
}

/** The whole name where setting it adds to a library of Lua's, rather than replacing what is there; else null. */
export function addition(target: Expression, file: SourceFile, { globals }: AnalysedProgram): string | null {
  if (target.type !== 'MemberExpression' || target.base.type !== 'Identifier') return null;
  const { base, identifier } = target;
  if (!libraries.has(base.name) || globals.has(base.name) || file.scopes.localOf(base) !== null) return null;
  const isThere = getOwn(surface, base.name)?.includes(identifier.name) === true;
  return isThere ? null : `${base.name}.${identifier.name}`;
}

function targetsOf(node: Node): Expression[] {
  if (node.type === 'AssignmentStatement') return node.variables;
  return node.type === 'FunctionDeclaration' && node.identifier !== null ? [node.identifier] : [];
}
