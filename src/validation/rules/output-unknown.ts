import { namedFields } from '../syntax/ast.js';
import { closest } from '../program/did-you-mean.js';
import { returnsOf } from '../program/procedure-scope.js';
import type { Rule } from '../rule.js';

/** A returned field that the output doesn't declare: it is dropped. */
export const outputUnknown: Rule = {
  code: 'output_unknown',
  severity: 'warning',
  *check(file, { procedures }) {
    for (const scope of procedures) {
      if (scope.file !== file || scope.output === null || scope.output.length === 0) continue;
      const declared = scope.output.map(({ name }) => name);
      for (const {
        arguments: [table],
      } of returnsOf(scope)) {
        if (table?.type !== 'TableConstructorExpression') continue;
        for (const { key, node } of namedFields(table)) {
          if (declared.includes(key)) continue;
          const meant = closest(key, declared);
          yield {
            node,
            message: `The output declares no ${key}: it is dropped`,
            suggestion: meant === null ? `declare it, or leave it out` : `did you mean ${meant}?`,
          };
        }
      }
    }
  },
};
