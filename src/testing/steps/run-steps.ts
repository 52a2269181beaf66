import type { StepDefinition } from '../step-definition.js';

/** The procedure runs, once, whoever the step says that acts. */
export const runSteps: StepDefinition[] = [
  { kind: 'run', pattern: /the procedure runs?/ },
  { kind: 'run', pattern: /the \w+ agent takes turns?/ },
  { kind: 'run', pattern: /the \w+ model predicts/ },
];
