import type { EffectClass } from './outside-tool.js';

interface OfEach {
  /** Which revision of the protocol it speaks, such as `2026-07-28`; left out: what every server has understood since 2025. */
  protocol?: string;
  /** What second calls of its tools do, by name with `*` for any characters; what isn't named is as the server's hints say. */
  effects?: Readonly<Record<string, EffectClass>>;
  /** Time of one call, in ms. */
  timeoutMs?: number;
}

/** A server of tools that the worker starts, and speaks with over its standard input and output. */
export interface McpProcess extends OfEach {
  command: string;
  args?: readonly string[];
  /** Beside what any program needs of the environment: nothing else of the worker's reaches it. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

/** One that is reached by streamable HTTP. */
export interface McpEndpoint extends OfEach {
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * An MCP server: its tools are `mcp.<name>.<tool>` to procedures. `${NAME}` in its texts stands for a variable of the worker's
 * environment, or for what the file holds that `NAME_FILE` names.
 */
export type McpServerConfig = McpProcess | McpEndpoint;

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
