/** Codecs and stores of payloads; without the worker of the SDK. */
export { codecName, configuredCodecs, openSubjectKeys } from './codecs/configured-codecs.js';
export type { ToldSubject, SubjectKeys } from './codecs/encryption/subject-keys.js';
export { withPayloadStore, FilePayloadStore } from './store/payload-store.js';
export { payloadFromJson, payloadToJson, type PayloadJson } from './codecs/payload-json.js';
