import { stringValue } from '../syntax/ast.js';
import { misCased, procedureCandidates, procedureFiles } from '../program/required-files.js';
import type { Rule } from '../rule.js';

/** `Procedure.run` of a file that isn't there. */
export const procedureNotFound: Rule = {
  code: 'procedure_not_found',
  severity: 'error',
  *check(file, { source, surroundings: { nearby } }) {
    for (const { node, callee } of procedureFiles(file)) {
      const name = stringValue(node);
      if (name === null) continue;
      const candidates = procedureCandidates(name, source.entry);
      if (candidates.some((each) => Object.hasOwn(source.files, each))) continue;
      if (misCased(candidates, nearby) === null)
        yield {
          node,
          message: `${callee}: there is no file ${name}`,
          suggestion: 'name it from the folder of this file',
        };
    }
  },
};
