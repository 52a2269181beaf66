import { lineOf } from '../syntax/ast.js';
import type { Rule } from '../rule.js';

/** Two agents, tools, models or procedures of one name: only one of them is found by it. */
export const duplicateDeclaration: Rule = {
  code: 'duplicate_declaration',
  severity: 'error',
  *check(file, { declared }) {
    // A module is held by who made it: none is found by its name.
    const own = declared.filter(({ name, kind }) => name !== null && kind !== 'module');
    for (const [i, each] of own.entries()) {
      if (each.file !== file) continue;
      const first = own.slice(0, i).find(({ kind, name }) => kind === each.kind && name === each.name);
      if (first !== undefined)
        yield {
          node: each.call.node,
          message: `There is another ${each.kind} "${each.name}" in line ${lineOf(first.call.node)} of ${first.file.name}`,
          suggestion: 'give one of them another name',
        };
    }
  },
};
