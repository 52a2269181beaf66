import type { StepDefinition } from '../step-definition.js';

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
