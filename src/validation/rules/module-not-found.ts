import { closest } from '../program/did-you-mean.js';
import { candidatesOf, isBuiltIn, misCased, requiredIn } from '../program/required-files.js';
import type { Rule } from '../rule.js';

/** `require` of a file that isn't there. */
export const moduleNotFound: Rule = {
  code: 'module_not_found',
  severity: 'error',
  *check(file, { source, surroundings: { nearby } }) {
    for (const { node, name } of requiredIn(file)) {
      if (name === null || isBuiltIn(name)) continue;
      const candidates = candidatesOf(name, source.entry);
      if (candidates.some((each) => Object.hasOwn(source.files, each))) continue;
      if (misCased(candidates, nearby) !== null) continue;
      const path = candidates[0] ?? '';
      const meant = closest(
        path,
        nearby.filter((each) => each !== source.entry),
      );
      yield {
        node,
        message: `There is no module "${name}": looked for ${candidates.join(', ')}`,
        suggestion:
          meant === null
            ? 'modules are named from the folder of the procedure, with dots between folders'
            : `did you mean ${meant}?`,
      };
    }
  },
};
