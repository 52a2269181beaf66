import type { StepDefinition } from '../step-definition.js';

/** The procedure runs, once, whoever the step says that acts. Of a file of tasks, the one that is named. */
export const runSteps: StepDefinition[] = [
  { kind: 'run', pattern: /the procedure runs?/ },
  { kind: 'run', pattern: /the \w+ agent takes turns?/ },
  { kind: 'run', pattern: /the \w+ model predicts/ },
  { kind: 'run', pattern: /the task "([^"]+)" runs/ },
  { kind: 'run', pattern: /the ([-\w:]+) task runs/ },
];
