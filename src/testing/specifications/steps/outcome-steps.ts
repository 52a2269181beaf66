import { getOwn, isObject } from '../../../contract/json/json.js';
import { asText, shown, unquoted } from '../../evaluations/expected-value.js';
import type { Facts, StepDefinition } from '../step-definition.js';
import { valueSteps } from '../value-steps.js';

/** Where the procedure stood. */
export const stageSteps: StepDefinition[] = [
  {
    kind: 'look',
    pattern: /the stage should be (\w+)/,
    look: ({ observed: { stages } }, stage = '') =>
      stages.at(-1) === stage ? null : `the stage is ${stages.at(-1) ?? 'none'}`,
  },
  {
    kind: 'look',
    pattern: /the stage should transition from (\w+) to (\w+)/,
    look: ({ observed: { stages } }, from = '', to = '') =>
      stages.some((stage, index) => stage === from && stages[index + 1] === to)
        ? null
        : `the stages were ${stages.join(', ') || 'none'}`,
  },
];

/** The state at the end. */
export const stateSteps: StepDefinition[] = [
  ...valueSteps(/the state (\w+)/, 'the state', ({ state }, key) => getOwn(state, key)),
  {
    kind: 'look',
    pattern: /the state should contain (\w+)/,
    look: ({ state }, key = '') =>
      Object.hasOwn(state, key) ? null : `the state has no ${key}; it has ${Object.keys(state).join(', ')}`,
  },
];

/** What the procedure gave: one of its fields, or the whole of it. */
export const outputSteps: StepDefinition[] = [
  ...valueSteps(/the output/, 'the output', ({ output }) => output ?? undefined),
  ...valueSteps(/the output (?!should)(\w+)/, 'the output', ({ output }, key) =>
    isObject(output) ? getOwn(output, key) : undefined,
  ),
  {
    kind: 'look',
    pattern: /the output should contain (\w+)/,
    look: ({ output }, key = '') =>
      isObject(output) && Object.hasOwn(output, key) ? null : `the output has no ${key}`,
  },
];

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
      const text = unquoted(given);
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
