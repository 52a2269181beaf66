import type { StepDefinition } from './step-definition.js';
import { eventSteps } from './steps/arrange-events.js';
import { fileSteps } from './steps/arrange-files.js';
import { inputSteps } from './steps/arrange-input.js';
import { mockSteps } from './steps/arrange-mocks.js';
import { countSteps } from './steps/count-steps.js';
import { endingSteps } from './steps/ending-steps.js';
import { outputSteps } from './steps/output-steps.js';
import { runSteps } from './steps/run-steps.js';
import { stageSteps } from './steps/stage-steps.js';
import { stateSteps } from './steps/state-steps.js';
import { toolSteps } from './steps/tool-steps.js';

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
