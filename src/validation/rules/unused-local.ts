import type { Rule } from '../rule.js';

/** A local that is never read. */
export const unusedLocal: Rule = {
  code: 'unused_local',
  severity: 'info',
  *check(file) {
    for (const { name, kind, declared, reads } of file.scopes.locals) {
      if (reads.length > 0 || name.startsWith('_') || (kind !== 'local' && kind !== 'function')) continue;
      yield { node: declared, message: `${name} is never read`, suggestion: 'remove it, or call it _' };
    }
  },
};
