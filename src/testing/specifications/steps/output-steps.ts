import { getOwn, isObject } from '../../../contract/json/json.js';
import type { StepDefinition } from '../step-definition.js';
import { valueSteps } from '../value-steps.js';

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
