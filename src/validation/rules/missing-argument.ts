import { getOwn } from '../../contract/json.js';
import { isCall } from '../ast.js';
import { exampleOf } from '../literal-kind.js';
import type { Rule } from '../rule.js';
import { argumentKinds, neededArguments } from '../signatures.js';

/** A call with fewer arguments than the function can do with. */
export const missingArgument: Rule = {
  code: 'missing_argument',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, args, indexer, node } of file.calls) {
      const needed = getOwn(neededArguments, callee);
      if (needed === undefined || indexer === ':' || globals.has(callee.split('.')[0] ?? '')) continue;
      const last = args.at(-1);
      // The last one may stand for several.
      if (last !== undefined && (isCall(last) || last.type === 'VarargLiteral')) continue;
      if (args.length >= needed) continue;
      yield {
        node,
        message: `${callee} needs ${needed === 1 ? 'an argument' : `${needed} arguments`}, and gets ${args.length === 0 ? 'none' : args.length}`,
        suggestion: `write ${callee}(${(getOwn(argumentKinds, callee) ?? []).slice(0, needed).map(exampleOf).join(', ')})`,
      };
    }
  },
};
