/** Entry of the keeper: `node keep.js WORKING_FOLDER TEMPORAL IDLE_MS [web-ui]`. */
import { keepServer } from './keep-server.js';

const [workingFolder = '', temporal = '', idleMs = '0', webUi] = process.argv.slice(2);
process.exitCode = await keepServer(workingFolder, temporal, {
  idleMs: Number(idleMs),
  webUi: webUi === 'web-ui',
});
