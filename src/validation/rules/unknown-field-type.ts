import { schemasIn } from '../program/schemas.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import { fieldTypes } from '../program/fields.js';

/** `{type = "strng"}`: a type that no field can have. `field.strng` is an unknown member. */
export const unknownFieldType: Rule = {
  code: 'unknown_field_type',
  severity: 'error',
  *check(file, program) {
    for (const { fields } of schemasIn(file, program))
      for (const { name, type, typeNode } of fields) {
        if (type === null || fieldTypes.includes(type)) continue;
        const isMember = typeNode.type !== 'StringLiteral';
        if (isMember) continue;
        const meant = closest(type, fieldTypes);
        yield {
          node: typeNode,
          message: `The field ${name} has the unknown type "${type}"`,
          suggestion:
            meant === null
              ? `the types are ${fieldTypes.slice(0, 8).join(', ')}`
              : `did you mean "${meant}"?`,
        };
      }
  },
};
