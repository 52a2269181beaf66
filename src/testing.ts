/** For tests of procedures, in whatever test runner: a server that skips time, and what runs and judges on it. */
export {
  startTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from './worker/specifications/test-environment.js';
export type { Begun, OneServer, PresentPlace } from './worker/specifications/present-servers.js';
export { testFile, mockPlan, type TestFileOptions } from './testing/specifications/run-tests.js';
export {
  evaluateFile,
  problemsOf,
  type EvaluateFileOptions,
  type EvaluationResult,
  type EvaluationRunResult,
} from './testing/evaluations/run-evaluation.js';
export { judge } from './testing/evaluations/judge.js';
export type { Opinion } from './testing/specifications/step-definition.js';
export type { FileResult, ScenarioResult, StepResult } from './testing/specifications/test-results.js';
export type { MockCall, MockEvent, MockPerson, MockPlan, MockTurn } from './contract/mocks/mock-plan.js';
