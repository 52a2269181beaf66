import type { Expression, Identifier } from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { getOwn } from '../../contract/json/json.js';
import { inputOf } from '../syntax/input-variable.js';
import { addition } from '../program/global-names.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { surface } from '../../language/surface.js';

/** An assignment to what can't be changed: the input, constants, and members of libraries. */
export const readOnly: Rule = {
  code: 'read_only',
  severity: 'error',
  *check(file, program) {
    for (const { name, declared, writes } of file.scopes.locals)
      if (isConstant(declared, file))
        for (const { node } of writes)
          yield {
            node,
            message: `${name} is a constant`,
            suggestion: 'leave <const> out, or use another name',
          };
    for (const node of file.nodes) {
      if (node.type === 'FunctionDeclaration' && node.identifier?.type === 'MemberExpression') {
        const owner = sealedOwner(node.identifier.base, file, program);
        if (owner !== null && addition(node.identifier, file, program) === null)
          yield {
            node: node.identifier,
            message: `${owner} is read-only: its members can't be set`,
            suggestion: 'write a local function',
          };
      }
      if (node.type !== 'AssignmentStatement') continue;
      for (const target of node.variables) {
        if (target.type === 'Identifier') continue;
        const base = rootOf(target.base);
        if (inputOf(base, file, program) !== null)
          yield {
            node: target,
            message: 'The input is read-only',
            suggestion: 'keep what you compute in a local, or in state',
          };
        const owner = sealedOwner(target.base, file, program);
        if (owner !== null && addition(target, file, program) === null)
          yield {
            node: target,
            message: `${owner} is read-only: its members can't be set`,
            suggestion: 'keep the value in a local',
          };
      }
    }
  },
};

function isConstant({ loc }: Identifier, { constants }: SourceFile): boolean {
  return loc !== undefined && constants.has(`${loc.start.line}:${loc.start.column}`);
}

function rootOf(base: Expression): Expression {
  return base.type === 'MemberExpression' || base.type === 'IndexExpression' ? rootOf(base.base) : base;
}

function sealedOwner(
  base: Expression,
  file: SourceFile,
  { globals, declared }: AnalysedProgram,
): string | null {
  if (base.type !== 'Identifier') return null;
  const local = file.scopes.localOf(base);
  const isHandle = declared.some((each) => each.variable !== null && local !== null && each.local === local);
  if (isHandle) return base.name;
  if (local !== null || base.name === 'state' || base.name.startsWith('_')) return null;
  if (declared.some(({ variable, local: held }) => held === null && variable?.name === base.name))
    return base.name;
  return !globals.has(base.name) && getOwn(surface, base.name) != null ? base.name : null;
}
