export { proceduresIn } from './find-procedure.js';
