export type { DeclaredInput, DeclaredTests, Description } from './describe.js';
export { dryProgram } from './dry-program.js';
export { modelTypes, modelTypesHere } from './model-types.js';
export { Program, type ProgramOptions, type Turn } from './program.js';
export { readDuration } from './duration.js';
export type { ProcedureSummary } from './summary.js';
