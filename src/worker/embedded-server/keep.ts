/** Entry of the keeper: `node keep.js WORKING_FOLDER TEMPORAL IDLE_MS`. */
import { keepServer } from './keep-server.js';

const [workingFolder = '', temporal = '', idleMs = '0'] = process.argv.slice(2);
process.exitCode = await keepServer(workingFolder, temporal, Number(idleMs));
