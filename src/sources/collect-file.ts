export { collectFile } from './collect-source.js';
