/** Codecs and stores of payloads; without the worker of the SDK. */
export { codecName, configuredCodecs, openSubjectKeys } from './codecs/configured-codecs.js';
export type { ToldSubject, SubjectKeys } from './codecs/encryption/subject-keys.js';
export { openPayloadStore } from './store/open-payload-store.js';
export { withPayloadStore, type ListedPayloadStore } from './store/payload-store.js';
export { prunePayloads, type PayloadCount, type Pruned } from './store/prune-payloads.js';
export { payloadFromJson, payloadToJson, type PayloadJson } from './codecs/payload-json.js';
