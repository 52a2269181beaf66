import { scopeAround, stateWrites } from '../program/procedure-scope.js';
import { typeMismatch } from '../program/schemas.js';
import type { Rule } from '../rule.js';

/** A value that the declared state refuses. */
export const wrongStateType: Rule = {
  code: 'wrong_state_type',
  severity: 'error',
  *check(file, { procedures }) {
    for (const { key, value } of stateWrites(file)) {
      if (value === undefined) continue;
      const type = scopeAround(value, procedures)?.state?.find(({ name }) => name === key)?.type ?? null;
      const finding = typeMismatch(`state.${key}`, value, type);
      if (finding !== null) yield finding;
    }
  },
};
