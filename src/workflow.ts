/**
 * For workflows of your own: the workflow that runs a procedure, to be exported beside them or started as a child, and the one
 * that starts the next turn of a graph's thread.
 */
export { tactus } from './workflows/tactus.js';
/** What is done to dead letters: to be exported beside it. */
export { tactusDeadLetter } from './workflows/dead-letters/dead-letter.js';
export { tactusTurn } from './workflows/graphs/tactus-turn.js';
/** What looks at a build before it is given runs: to be exported beside it. */
export { tactusGate } from './workflows/deployments/gate.js';
export type { GateProblem, GateReport } from './contract/deployments/gate.js';
/** What keeps the holds of a namespace: to be exported beside it. */
export { tactusHolds } from './workflows/changes/holds.js';
/** What keeps published procedures: to be exported beside it. */
export { tactusPublished, tactusPublishedSource } from './workflows/procedures/published.js';
/** What keeps the scores of runs: to be exported beside it. */
export { tactusScores } from './workflows/scores/scores.js';
export { workflowType } from './contract/names.js';
export type { LetterOrder } from './contract/dead-letters/letter-order.js';
export type { IntentOutcome } from './contract/graphs/intent-effect.js';
export type { Intent } from './contract/graphs/super-step.js';
export type { StartInput } from './contract/runs/start-input.js';
