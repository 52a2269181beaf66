import type { Environment } from '../../../contract/environment.js';
import type { McpServerConfig } from '../../../contract/tools/mcp-server-config.js';
import { variableFill } from '../fill-variables.js';

/**
 * The configuration of a server with the values of the variables that it names.
 * @throws ToolFailed naming one that isn't set
 */
export function resolveVariables(server: string, config: McpServerConfig, env: Environment): McpServerConfig {
  const fill = variableFill(`the MCP server ${server}`, env);
  if ('url' in config) return { ...config, url: fill.text(config.url), headers: fill.table(config.headers) };
  const { command, args = [] } = config;
  return { ...config, command: fill.text(command), args: args.map(fill.text), env: fill.table(config.env) };
}
