import { getOwn } from '../../../contract/json/json.js';
import type { StepDefinition } from '../step-definition.js';
import { valueSteps } from '../value-steps.js';

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
