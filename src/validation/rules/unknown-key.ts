import { namedFields } from '../syntax/ast.js';
import { constructorTables } from '../syntax/constructor-tables.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';

/** A key that nothing reads. One that is nearly right is a mistake; another may be meant for people. */
export const unknownKey: Rule = {
  code: 'unknown_key',
  severity: 'error',
  *check(file, program) {
    for (const { what, table, type } of constructorTables(file, program)) {
      if (type.isOpen) continue;
      const known = Object.keys(type.keys);
      for (const { key, node } of namedFields(table)) {
        if (known.includes(key)) continue;
        const meant = closest(key, known);
        yield {
          node,
          severity: meant === null ? 'warning' : 'error',
          message: `${what} has no ${key}: it is not read`,
          suggestion: meant === null ? `it has ${known.join(', ')}` : `did you mean ${meant}?`,
        };
      }
    }
  },
};
