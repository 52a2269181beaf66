export { sortDiagnostics, type Diagnostic, type Severity } from './diagnostic.js';
export type { Surroundings } from './program/analysed-program.js';
export { validateSource, type Validation } from './validate-source.js';
