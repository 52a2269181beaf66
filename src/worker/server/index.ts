/** The embedded server, and what is installed for it; without the worker of the SDK. */
export { sdkVersions } from '../sdk-versions.js';
export {
  assertRoom,
  embeddedTrouble,
  ensureEmbeddedServer,
  findEmbeddedServer,
  stopEmbeddedServer,
  touchUsed,
} from './embedded-server/embedded-server.js';
export { makeServerFolder, serverFolder, type ServerRecord } from './embedded-server/server-folder.js';
export { readToolchain, requireTemporal } from '../toolchain.js';
