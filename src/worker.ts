/** For processes that run procedures: a worker of ours, or the plugin for a worker of your own. */
export { createTactusWorker, type TactusWorkerOptions } from './worker/create-tactus-worker.js';
export { TactusPlugin, type TactusPluginOptions } from './worker/tactus-plugin.js';
export { FilePayloadStore } from './worker/payload-store/file-payload-store.js';
export type { PayloadStore } from './worker/payload-store/payload-store.js';
export type { ActivityDeps, LocalModelFiles, TextEvent } from './activities/index.js';
export type { Environment } from './contract/environment.js';
