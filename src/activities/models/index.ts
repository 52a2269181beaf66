/** Which provider answers for a model; loads no package of a provider. */
export { checkModel, type ModelChoice } from './check-model.js';
export { providers } from './providers/index.js';
export { wayOf } from './providers/provider.js';
