export { closest } from './did-you-mean.js';
export { sortDiagnostics, type Diagnostic, type Severity } from './diagnostic.js';
export type { Surroundings } from './analysed-program.js';
export { validateSource, type Validation } from './validate-source.js';
