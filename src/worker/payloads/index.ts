/** Codecs and stores of payloads; without the worker of the SDK. */
export { codecName, configuredCodecs } from './codecs/configured-codecs.js';
export { FilePayloadStore } from './store/file-payload-store.js';
export { withPayloadStore } from './store/payload-store.js';
