import { getOwn, isObject } from '../../../contract/json/json.js';
import { asText, shown, textOf } from '../../evaluations/expected-value.js';
import type { Facts, StepDefinition } from '../step-definition.js';
import { valueSteps } from '../value-steps.js';

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
  ...valueSteps(/the stop reason/, 'the stop reason', stopReason),
  {
    kind: 'look',
    pattern: /the stop reason should contain (.+)/,
    look: (facts, text = '') =>
      stopReason(facts).includes(text) ? null : `the stop reason is ${shown(stopReason(facts))}`,
  },
];

/** What `done` was first called with; empty where it wasn't. */
function stopReason({ observed }: Facts): string {
  const args = observed.toolCalls.find(({ tool }) => tool === 'done')?.args ?? null;
  const reason = isObject(args) ? getOwn(args, 'reason') : undefined;
  return reason === undefined || reason === null ? '' : asText(reason);
}

function ended({ status, error }: Facts): string {
  return error === null
    ? `the run is ${status}`
    : `the procedure failed: ${shown(error.message)} (${error.code})`;
}
