/** The door of the room for other rooms: starts the HTTP API with what configuration says. */
export { accessOf, hashOfToken } from './access/access-of.js';
export { apiDocument } from './app.js';
export { AuditFile } from './audit/audit-log.js';
export { SeenInFile, type SeenMessages } from './events/webhooks/seen-messages.js';
export { webhooksOf } from './events/webhooks/webhooks.js';
export { requestMeter } from './health/request-meter.js';
export { RunGauges } from './health/run-gauges.js';
export { FolderProcedures } from './procedures/folder-procedures.js';
export { servePlayground } from './procedures/playground-server.js';
export type { ServedNamespace } from './served-namespace.js';
export { startServer, type RunningServer } from './server.js';
