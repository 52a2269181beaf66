/** Codecs and stores of payloads; without the worker of the SDK. */
export { codecName, configuredCodecs } from './codecs/configured-codecs.js';
export { withPayloadStore, FilePayloadStore } from './store/payload-store.js';
