import type { EffectClass } from './outside-tool.js';

/** What an agent of another system speaks. */
export const agentProtocols = ['a2a', 'ag_ui', 'langgraph'] as const;

export type AgentProtocol = (typeof agentProtocols)[number];

/**
 * An agent of another system, which is a tool `agent.<name>` to procedures. `${NAME}` in its address and headers stands for a
 * variable of the worker's environment, or for what the file holds that `NAME_FILE` names.
 */
export interface OutsideAgentConfig {
  protocol: AgentProtocol;
  /** Where it is reached: of `a2a` where its card lies below, of `langgraph` the server, of `ag_ui` the agent itself. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Of `langgraph`: the graph, or the id of an assistant. */
  graph?: string;
  /** What a model reads of it; left out: what the agent says of itself. */
  description?: string;
  /** What a second call does; left out: `once`, and `idempotent` of `langgraph`, whose threads have ids of ours. */
  effect?: EffectClass;
  /** Time until it has taken the call, or, of `ag_ui`, until it has stopped, in ms. */
  timeoutMs?: number;
  /** How often it is asked how a task stands, in ms. */
  pollMs?: number;
}
