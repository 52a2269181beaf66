import { stringValue } from '../syntax/ast.js';
import { procedureFiles, requiredIn } from '../program/required-files.js';
import type { Rule } from '../rule.js';

/** A file whose name is computed: it can't be sent along with the run. */
export const computedName: Rule = {
  code: 'computed_name',
  severity: 'error',
  *check(file, { globals }) {
    if (!globals.has('require'))
      for (const { node, name } of requiredIn(file))
        if (name === null)
          yield {
            node,
            message: 'require needs a literal name: modules are sent along with the run',
            suggestion: 'require each module by its name, and choose between them',
          };
    for (const { node, callee } of procedureFiles(file))
      if (stringValue(node) === null)
        yield {
          node,
          severity: 'warning',
          message: `${callee} with a computed name: a file is sent along only if its name stands in this one`,
          suggestion: 'write the names of the files in full, such as "child.tac"',
        };
  },
};
