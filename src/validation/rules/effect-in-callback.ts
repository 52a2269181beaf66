import { effectsWithin } from '../program/effects.js';
import type { Rule } from '../rule.js';

/** An effect where Lua can't wait: in the comparator of `table.sort` and the function of `gsub`. */
export const effectInCallback: Rule = {
  code: 'effect_in_callback',
  severity: 'error',
  *check(file, program) {
    for (const node of file.nodes) {
      if (node.type !== 'CallExpression' || node.base.type !== 'MemberExpression') continue;
      const { name } = node.base.identifier;
      if (name !== 'sort' && name !== 'gsub') continue;
      const callback = node.arguments.find(({ type }) => type === 'FunctionDeclaration');
      const [effect] = callback === undefined ? [] : effectsWithin(callback, file, program);
      if (effect !== undefined)
        yield {
          node: effect,
          message: `A procedure can't wait within ${name}: Lua has to finish it in one go`,
          suggestion: `get the answers first, in a loop, and use them in ${name}`,
        };
    }
  },
};
