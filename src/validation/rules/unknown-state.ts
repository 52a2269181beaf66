import { closest } from '../program/did-you-mean.js';
import { scopeAround, stateWrites } from '../program/procedure-scope.js';
import type { Rule } from '../rule.js';

/** A key of the state that is nearly one that is declared. Other keys may be added freely. */
export const unknownState: Rule = {
  code: 'unknown_state',
  severity: 'warning',
  *check(file, { procedures }) {
    const writes = stateWrites(file);
    for (const { key, node } of writes) {
      const fields = scopeAround(node, procedures)?.state?.map(({ name }) => name) ?? [];
      if (fields.includes(key)) continue;
      // Short names that differ in one letter, as i and j, are meant to.
      const meant = key.length < 4 ? null : closest(key, fields);
      if (meant !== null)
        yield { node, message: `The state declares no ${key}`, suggestion: `did you mean state.${meant}?` };
    }
  },
};
