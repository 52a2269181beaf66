import { isWithin } from '../syntax/ast.js';
import { checkpointBodies } from '../program/effects.js';
import type { Rule } from '../rule.js';

/** A local that a checkpoint's function assigns, and that is read outside: only what the function returns is recorded. */
export const checkpointLocal: Rule = {
  code: 'checkpoint_local',
  severity: 'warning',
  *check(file) {
    for (const body of checkpointBodies(file))
      for (const { name, declared, reads, writes } of file.scopes.locals) {
        if (isWithin(declared, body, file.parents)) continue;
        const write = writes.find(({ node }) => isWithin(node, body, file.parents));
        if (write === undefined || !reads.some(({ node }) => !isWithin(node, body, file.parents))) continue;
        yield {
          node: write.node,
          message: `${name} is assigned within a checkpoint and read outside: on a replay it may be nil, or differ`,
          suggestion: `return it: ${name} = checkpoint(function() … return … end)`,
        };
      }
  },
};
