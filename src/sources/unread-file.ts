export { unreadFile } from './collect-source.js';
