/** For workflows of your own: the workflow that runs a procedure, to be exported beside them or started as a child. */
export { tactus } from './workflows/tactus.js';
export { workflowType } from './contract/names.js';
export type { StartInput } from './contract/runs/start-input.js';
