/** The one import of a primitive: the Lua state and its values, tasks and frames, and what the program does for all rooms. */
export * from '../vm/fengari.js';
export * from '../vm/handle.js';
export * from '../vm/meter.js';
export * from '../vm/traceback.js';
export * from '../values/config-table.js';
export * from '../values/copy-deep.js';
export * from '../values/exact.js';
export * from '../values/marshal.js';
export * from '../values/push-parsed.js';
export * from '../values/schema.js';
export * from '../scheduler/budget-scope.js';
export * from '../scheduler/lua-error.js';
export { toFunction, type Native, type Step } from './bridge.js';
export * from '../scheduler/scheduler.js';
export * from '../scheduler/task.js';
export * from './bridge.js';
export * from './kept.js';
export * from './transactions.js';
