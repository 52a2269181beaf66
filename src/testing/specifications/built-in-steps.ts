import type { StepDefinition } from './step-definition.js';
import { eventSteps, fileSteps, inputSteps, mockSteps, runSteps } from './steps/arrange-steps.js';
import { endingSteps, outputSteps, stageSteps, stateSteps } from './steps/outcome-steps.js';
import { countSteps, toolSteps } from './steps/tool-steps.js';

/** Steps that every file has. Of two that fit, the first one counts. */
export const builtInSteps: readonly StepDefinition[] = [
  ...inputSteps,
  ...fileSteps,
  ...eventSteps,
  ...mockSteps,
  ...runSteps,
  ...endingSteps,
  ...toolSteps,
  ...countSteps,
  ...outputSteps,
  ...stateSteps,
  ...stageSteps,
];
