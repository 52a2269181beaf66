import { getOwn } from '../../contract/json/json.js';
import type { Rule } from '../rule.js';
import { surface } from '../../language/surface.js';

/** `Human:approve(…)`: the library itself becomes the first argument. */
export const colonCall: Rule = {
  code: 'colon_call',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, indexer, node } of file.calls) {
      const [owner = '', member = ''] = callee.split('.');
      if (indexer !== ':' || globals.has(owner)) continue;
      if (getOwn(surface, owner)?.includes(member) !== true) continue;
      yield {
        node,
        message: `${owner}:${member}(…) passes ${owner} itself as the first argument`,
        suggestion: `write ${owner}.${member}(…)`,
      };
    }
  },
};
