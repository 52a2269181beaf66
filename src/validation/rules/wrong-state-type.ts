import { fitsField, kindText, literalKind } from '../literal-kind.js';
import { scopeAround } from '../procedure-scope.js';
import type { Rule } from '../rule.js';
import { stateWrites } from '../state-uses.js';

/** A value that the declared state refuses. */
export const wrongStateType: Rule = {
  code: 'wrong_state_type',
  severity: 'error',
  *check(file, { procedures }) {
    for (const { key, value } of stateWrites(file)) {
      if (value === undefined) continue;
      const type = scopeAround(value, procedures)?.state?.find(({ name }) => name === key)?.type ?? null;
      const kind = literalKind(value);
      if (type === null || kind === null || fitsField(value, type)) continue;
      yield {
        node: value,
        message: `state.${key} is declared as ${type}, and gets ${kindText(kind)}`,
        suggestion: 'change the value, or the declared type',
      };
    }
  },
};
