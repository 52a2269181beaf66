export { overlap, trustedModelsOf, warmModelsOf } from '../worker-environment.js';
