import { lineOf, namedFields } from '../syntax/ast.js';
import type { Rule } from '../rule.js';

/** A key that a table has twice: the first value is lost. */
export const duplicateKey: Rule = {
  code: 'duplicate_key',
  severity: 'warning',
  *check(file) {
    for (const table of file.nodes) {
      if (table.type !== 'TableConstructorExpression') continue;
      const seen = new Map<string, number>();
      for (const { key, node } of namedFields(table)) {
        const line = seen.get(key);
        if (line !== undefined)
          yield {
            node,
            message: `The table has ${key} already in line ${line}: that value is lost`,
            suggestion: 'leave one of them out',
          };
        seen.set(key, lineOf(node));
      }
    }
  },
};
