/** Which provider answers for a model; loads no package of a provider. */
export { providers, checkModel, type ModelChoice } from './providers/index.js';
export { wayOf } from './providers/provider.js';
