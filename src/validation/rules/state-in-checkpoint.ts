import { bodyAround, checkpointBodies } from '../program/effects.js';
import type { Rule } from '../rule.js';
import { stateWrites } from '../program/procedure-scope.js';

/** State that a checkpoint's function changes: only what it returns is recorded. */
export const stateInCheckpoint: Rule = {
  code: 'state_in_checkpoint',
  severity: 'warning',
  *check(file, { strict }) {
    const bodies = checkpointBodies(file);
    for (const { key, node } of stateWrites(file))
      if (bodyAround(node, bodies, file) !== null)
        yield {
          node,
          severity: strict ? 'error' : 'warning',
          message: `state.${key} is changed within a checkpoint: a replay may skip or repeat that`,
          suggestion: `write state.${key} = checkpoint(function() … return … end)`,
        };
  },
};
