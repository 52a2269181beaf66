import type { JsonObject, JsonValue } from '../json/json.js';

/** Where the context of a thread stands in the input of its run. */
export const contextField = 'context';

/** Field of what a tool gave as a node: somebody must say something before the node goes on. */
export const interruptField = 'interrupt';

/** What stands in it. */
export type InterruptAsk = {
  reason: string;
  payload?: JsonValue;
  /** As of `Graph.interrupt`. */
  options?: JsonObject;
};

/** What a node of a worker is called with. */
export type NodeArguments = {
  state: JsonObject;
  context: JsonObject;
  thread: string;
  /** What was said when the node was interrupted; left out where it wasn't. */
  resume_payload?: JsonValue;
};

/** What a reducer of a worker is called with: all updates of a super-step, in their order. */
export type ReducerArguments = { current: JsonValue; updates: JsonValue[] };

/** The tool that a node of a worker's graph is. */
export function nodeSource(graph: string, node: string): string {
  return `host.${graph}.${node}`;
}

/** The tool that the reducer of a channel is. */
export function reducerSource(graph: string, channel: string): string {
  return `host.${graph}.channels.${channel}`;
}
