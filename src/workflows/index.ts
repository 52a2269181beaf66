export { tactus } from './tactus.js';
export { tactusDeadLetter } from './dead-letters/dead-letter.js';
export { tactusGate } from './deployments/gate.js';
export { tactusHolds } from './changes/holds.js';
export { tactusTurn } from './graphs/tactus-turn.js';
export { tactusPublished, tactusPublishedSource } from './procedures/published.js';
export { tactusScores } from './scores/scores.js';
