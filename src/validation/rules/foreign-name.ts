import { getOwn } from '../../contract/json/json.js';
import type { Rule } from '../rule.js';
import { foreignNames } from '../program/global-names.js';

/** A name of another language, another Lua, or an older Tactus. */
export const foreignName: Rule = {
  code: 'foreign_name',
  severity: 'error',
  *check(file, { globals }) {
    for (const { node } of file.scopes.reads) {
      const advice = getOwn(foreignNames, node.name);
      if (advice === undefined || globals.has(node.name)) continue;
      yield { node, message: `There is no ${node.name} in a procedure`, suggestion: advice };
    }
    for (const { callee, node } of file.calls) {
      if (!callee.startsWith('python.') || callee === 'python.iter' || globals.has('python')) continue;
      yield {
        node,
        message: `${callee} is not available: a procedure can't run Python`,
        suggestion: 'make it a tool or a model, and call that',
      };
    }
  },
};
