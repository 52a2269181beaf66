import { isCall } from '../syntax/ast.js';
import { exampleOf } from '../syntax/literal-kind.js';
import type { Rule } from '../rule.js';
import { signatureOf } from '../../language/signature.js';

/** A call with fewer arguments than the function can do with. */
export const missingArgument: Rule = {
  code: 'missing_argument',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, args, indexer, node } of file.calls) {
      const signature = signatureOf(callee);
      if (signature === null || indexer === ':' || globals.has(callee.split('.')[0] ?? '')) continue;
      const { needed, parameters, isLenient } = signature;
      const last = args.at(-1);
      // The last one may stand for several.
      if (last !== undefined && (isCall(last) || last.type === 'VarargLiteral')) continue;
      if (args.length >= needed) continue;
      yield {
        node,
        severity: isLenient ? 'warning' : 'error',
        message: `${callee} needs ${needed === 1 ? 'an argument' : `${needed} arguments`}, and gets ${args.length === 0 ? 'none' : args.length}`,
        suggestion: `write ${callee}(${parameters
          .slice(0, needed)
          .map(({ kinds }) => exampleOf(kinds))
          .join(', ')})`,
      };
    }
  },
};
