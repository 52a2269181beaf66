import { closest } from '../program/did-you-mean.js';
import { inputOf } from '../syntax/input-variable.js';
import type { Rule } from '../rule.js';

/** A read of an input that isn't declared: nobody can give it, so it is nil. */
export const unknownInput: Rule = {
  code: 'unknown_input',
  severity: 'warning',
  *check(file, program) {
    for (const node of file.nodes) {
      if (node.type !== 'MemberExpression') continue;
      const fields = inputOf(node.base, file, program)?.input?.map(({ name }) => name);
      const name = node.identifier.name;
      if (fields === undefined || fields.includes(name)) continue;
      const meant = closest(name, fields);
      yield {
        node: node.identifier,
        message: `The input declares no ${name}: it is nil here`,
        suggestion:
          meant === null ? `declare it: input = { ${name} = field.string{} }` : `did you mean ${meant}?`,
      };
    }
  },
};
