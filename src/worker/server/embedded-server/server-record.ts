export { readServerRecord, type ServerRecord } from './server-folder.js';
