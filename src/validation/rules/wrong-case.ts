import { stringValue } from '../syntax/ast.js';
import {
  candidatesOf,
  isBuiltIn,
  misCased,
  procedureCandidates,
  procedureFiles,
  requiredIn,
} from '../program/required-files.js';
import type { Rule } from '../rule.js';

/** A file that is named with other upper and lower case: some machines find it, and others don't. */
export const wrongCase: Rule = {
  code: 'wrong_case',
  severity: 'error',
  *check(file, { source: { entry, files }, surroundings: { nearby } }) {
    const named = [
      ...requiredIn(file).map(({ node, name }) => ({
        ...{ node, name },
        candidates: name === null || isBuiltIn(name) ? [] : candidatesOf(name, entry),
      })),
      ...procedureFiles(file).map(({ node }) => ({
        ...{ node, name: stringValue(node) },
        candidates: procedureCandidates(stringValue(node) ?? '', entry),
      })),
    ];
    for (const { node, name, candidates } of named) {
      if (name === null || candidates.some((each) => Object.hasOwn(files, each))) continue;
      const there = misCased(candidates, nearby);
      if (there !== null)
        yield {
          node,
          message: `There is no "${name}", but ${there}`,
          suggestion: 'mind upper and lower case',
        };
    }
  },
};
