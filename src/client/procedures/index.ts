/** What reads or validates the source of a procedure: loads Lua and the validation. */
export { checkStart } from './check-start.js';
export { describeSource, procedureInterface, type ProcedureInterface } from './describe-source.js';
export { shownName, validateFile, type FileValidation } from './validate-file.js';
