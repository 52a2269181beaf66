import type { AnalysedProgram } from '../program/analysed-program.js';
import { stringValue } from '../syntax/ast.js';
import { takesAllTools, type Declared } from '../program/declared.js';
import type { Rule } from '../rule.js';

/** An agent, tool or model that nothing calls and nothing names. */
export const unusedDeclaration: Rule = {
  code: 'unused_declaration',
  severity: 'info',
  *check(file, program) {
    for (const each of program.declared) {
      if (each.file !== file || each.kind === 'procedure' || isUsed(each, program)) continue;
      // The rule for locals has said it.
      if (each.local !== null) continue;
      const name = each.name ?? each.variable?.name;
      yield {
        node: each.call.node,
        message: `The ${each.kind}${name === undefined ? '' : ` ${name}`} is never used`,
        suggestion: 'remove it',
      };
    }
  },
};

function isUsed(
  { kind, name, variable, call, file }: Declared,
  { files, declared }: AnalysedProgram,
): boolean {
  const up = file.parents.get(call.node);
  if (kind === 'tool' && declared.some(takesAllTools)) return true;
  // Handed on at once, as in a list of tools.
  if (variable === null && up?.type !== 'CallStatement') return true;
  const names = [name, variable?.name ?? null].flatMap((each) =>
    each === null ? [] : [each, each.slice(0, 1).toUpperCase() + each.slice(1)],
  );
  return files.some(
    ({ scopes, nodes }) =>
      scopes.reads.some(({ node }) => names.includes(node.name)) ||
      nodes.some((node) => {
        const text = stringValue(node);
        return text !== null && names.includes(text) && node !== call.args[0];
      }),
  );
}
