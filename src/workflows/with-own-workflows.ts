import * as own from 'tactus-temporal-own-workflows';

/** What a worker of somebody else's runs by the plugin: its own workflows, and ours. */
export * from 'tactus-temporal-own-workflows';
export { tactus } from './tactus.js';
export { tactusDeadLetter } from './dead-letters/dead-letter.js';
export { tactusGate } from './deployments/gate.js';
export { tactusHolds } from './changes/holds.js';
export { tactusTurn } from './graphs/tactus-turn.js';
export { tactusPublished, tactusPublishedSource } from './procedures/published.js';
export { tactusScores } from './scores/scores.js';

/** Read by a name that is put together: few export one, and the bundler complains of names that aren't there. */
const handlerOfOtherTypes = (own as Record<string, unknown>)[['de', 'fault'].join('')];
// eslint-disable-next-line import-x/no-default-export -- by this name Temporal looks for it
export default handlerOfOtherTypes;
