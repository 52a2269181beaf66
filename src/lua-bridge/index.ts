export type { DeclaredTests } from './declared-tests.js';
export type { DeclaredInput, Description } from './describe.js';
export { dryProgram } from './dry-program.js';
export { modelTypes, modelTypesHere } from './models/model-types.js';
export { Program, type Turn } from './program.js';
export type { ProgramOptions } from './program-options.js';
export { readDuration } from '../contract/duration.js';
export { readSignatureText } from './signatures/signature-text.js';
export type { ProcedureSummary } from './summary.js';
