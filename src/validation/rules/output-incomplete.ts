import { fieldOf, isComplete, namedFields } from '../ast.js';
import { fitsField, kindText, literalKind } from '../literal-kind.js';
import { returnsOf } from '../returns.js';
import type { Rule } from '../rule.js';

/** A `return {…}` that the declared output refuses: a required field is missing, or one has another type. */
export const outputIncomplete: Rule = {
  code: 'output_incomplete',
  severity: 'error',
  *check(file, { procedures }) {
    for (const scope of procedures) {
      if (scope.file !== file || scope.output === null) continue;
      for (const node of returnsOf(scope)) {
        const [table] = node.arguments;
        if (table?.type !== 'TableConstructorExpression' || !isComplete(table)) continue;
        const given = namedFields(table).map(({ key }) => key);
        const absent = scope.output
          .filter(
            ({ name, required, default: value }) => required && value === undefined && !given.includes(name),
          )
          .map(({ name }) => name);
        if (absent.length > 0)
          yield {
            node,
            message: `The output needs ${absent.join(', ')}, which ${absent.length === 1 ? "isn't" : "aren't"} returned here`,
            suggestion: `add ${absent[0] ?? ''} = …`,
          };
        for (const { name, type } of scope.output) {
          const value = fieldOf(table, name);
          const kind = value === undefined ? null : literalKind(value);
          if (value === undefined || type === null || kind === null || fitsField(value, type)) continue;
          yield {
            node: value,
            message: `The output ${name} is declared as ${type}, and gets ${kindText(kind)}`,
            suggestion: 'change the value, or the declared type',
          };
        }
      }
    }
  },
};
