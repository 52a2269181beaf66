import { listItems } from '../syntax/ast.js';
import { fitsField } from '../syntax/literal-kind.js';
import type { Rule } from '../rule.js';
import { schemasIn } from '../program/schemas.js';

/** An allowed value that the field's own type refuses, or no allowed value at all. */
export const wrongEnum: Rule = {
  code: 'wrong_enum',
  severity: 'error',
  *check(file, program) {
    for (const { fields } of schemasIn(file, program))
      for (const { name, type, enum: allowed } of fields) {
        if (allowed?.type !== 'TableConstructorExpression') continue;
        if (allowed.fields.length === 0)
          yield {
            node: allowed,
            message: `The enum of ${name} allows nothing`,
            suggestion: 'list the allowed values, or leave enum out',
          };
        const wrong = type === null ? undefined : listItems(allowed).find((value) => !fitsField(value, type));
        if (wrong !== undefined)
          yield {
            node: wrong,
            message: `The enum of ${name} has a value that is not of the type ${type}`,
            suggestion: 'change the value, or the type',
          };
      }
  },
};
