/** What reads or validates the source of a procedure: loads Lua and the validation. */
export {
  describeSource,
  procedureInterface,
  checkStart,
  type ProcedureInterface,
} from './describe-source.js';
export { shownName, validateFile, type FileValidation } from './validate-file.js';
