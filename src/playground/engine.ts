/**
 * The engine, which the page loads after its first picture: Lua, the log and the validation, as workers have them.
 */
export { forkRecord, newRecord } from './runs/new-record.js';
export { RunHost } from './runs/run-host.js';
export { trySource, withSource } from './changes/try-source.js';
export { checkSource, graphOf, sourceOf } from './procedures/check-source.js';
export { completionsAt } from './editor/completions.js';
