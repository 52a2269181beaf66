import { isCall, stringValue } from '../syntax/ast.js';
import type { Rule } from '../rule.js';

const directive = /%(?:%|[-+ #0]*\d*(?:\.\d*)?([a-zA-Z]))/g;
const known = 'diuoxXcaAeEfFgGsqp';

/** `string.format` with fewer values than its text asks for, or a directive that it doesn't know. */
export const formatArguments: Rule = {
  code: 'format_arguments',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, args, node } of file.calls) {
      const text = callee === 'string.format' && !globals.has('string') ? stringValue(args[0]) : null;
      if (text === null) continue;
      const letters = [...text.matchAll(directive)].flatMap(([, letter]) => letter ?? []);
      const strange = letters.find((letter) => !known.includes(letter));
      if (strange !== undefined) {
        yield {
          node,
          message: `string.format doesn't know %${strange}`,
          suggestion: 'write %% for a percent sign',
        };
        continue;
      }
      const last = args.at(-1);
      if (last !== undefined && args.length > 1 && (isCall(last) || last.type === 'VarargLiteral')) continue;
      if (args.length - 1 < letters.length)
        yield {
          node,
          message: `The text asks for ${letters.length} value${letters.length === 1 ? '' : 's'}, and gets ${args.length - 1}`,
          suggestion: 'give a value for each %',
        };
      else if (args.length - 1 > letters.length)
        yield {
          node,
          severity: 'warning',
          message: `The text asks for ${letters.length} value${letters.length === 1 ? '' : 's'}, and gets ${args.length - 1}: the rest is not shown`,
          suggestion: 'add a %s for each value',
        };
    }
  },
};
