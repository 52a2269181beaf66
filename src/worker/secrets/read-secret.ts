/** For the rooms that stand on the worker: secrets are read there as they are here. */
export { readSecret } from '../../activities/secrets/secrets.js';
