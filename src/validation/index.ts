export { closest } from './did-you-mean.js';
export type { Diagnostic, Severity } from './diagnostic.js';
export type { Surroundings } from './analysed-program.js';
export { validateSource, type Validation } from './validate-source.js';
