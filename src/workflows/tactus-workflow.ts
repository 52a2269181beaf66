import type { JsonValue } from '../contract/json/json.js';

/** What the workflow that runs a procedure is given, and gives: the start, and the packed log of the execution before. */
export type TactusWorkflow = (given: unknown, packed?: unknown) => Promise<JsonValue>;
