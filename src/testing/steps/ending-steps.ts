import { shown, textOf } from '../expected-value.js';
import type { Facts, StepDefinition } from '../step-definition.js';

/** How the run ended. */
export const endingSteps: StepDefinition[] = [
  {
    kind: 'look',
    pattern: /the procedure should complete successfully/,
    look: (facts) => (facts.status === 'completed' ? null : ended(facts)),
  },
  {
    kind: 'look',
    expectsFailure: true,
    pattern: /the procedure should fail/,
    look: (facts) => (facts.status === 'completed' ? 'the procedure completed' : null),
  },
  {
    kind: 'look',
    expectsFailure: true,
    pattern: /the procedure should fail with (.+)/,
    look: (facts, given = '') => {
      const text = textOf(given);
      if (facts.status === 'completed') return 'the procedure completed';
      const { code = '', message = '' } = facts.error ?? {};
      return code === text || message.includes(text) ? null : ended(facts);
    },
  },
];

function ended({ status, error }: Facts): string {
  return error === null
    ? `the run is ${status}`
    : `the procedure failed: ${shown(error.message)} (${error.code})`;
}
