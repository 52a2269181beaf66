import { allowedInstead, fitsField, kindText, literalKind } from '../syntax/literal-kind.js';
import type { Rule } from '../rule.js';
import { schemasIn } from '../program/schemas.js';

/** A default that its own field would refuse: another type, or not among the allowed values. */
export const wrongDefault: Rule = {
  code: 'wrong_default',
  severity: 'error',
  *check(file, program) {
    for (const { fields } of schemasIn(file, program))
      for (const { name, type, default: value, enum: allowed, required } of fields) {
        if (value === undefined) continue;
        const kind = literalKind(value);
        if (type !== null && kind !== null && !fitsField(value, type)) {
          yield {
            node: value,
            message: `The default of ${name} must be of the type ${type}, and is ${kindText(kind)}`,
            suggestion: 'change the default, or the type',
          };
          continue;
        }
        const instead = allowedInstead(value, allowed);
        if (instead !== null)
          yield {
            node: value,
            message: `The default of ${name} is not among its enum`,
            suggestion: `use one of ${instead}`,
          };
        if (required && kind !== 'nil')
          yield {
            node: value,
            severity: 'info',
            message: `${name} is required and has a default: it may be left out after all`,
            suggestion: 'leave one of the two out',
          };
      }
  },
};
