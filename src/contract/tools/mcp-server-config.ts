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
