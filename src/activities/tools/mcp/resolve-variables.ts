import type { Environment } from '../../../contract/environment.js';
import type { McpServerConfig } from '../../../contract/mcp-server-config.js';
import { readSecret } from '../../read-secret.js';
import { ToolFailed } from '../tool-failed.js';

const named = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * The configuration of a server with the values of the variables that it names.
 * @throws ToolFailed naming one that isn't set
 */
export function resolveVariables(server: string, config: McpServerConfig, env: Environment): McpServerConfig {
  const fill = (text: string): string =>
    text.replaceAll(named, (_, name: string) => {
      const value = readSecret(env, name);
      if (value === null)
        throw new ToolFailed(`the MCP server ${server} needs the variable ${name}, which isn't set`);
      return value;
    });
  const fillAll = (texts: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  if ('url' in config) return { ...config, url: fill(config.url), headers: fillAll(config.headers) };
  const { command, args = [] } = config;
  return { ...config, command: fill(command), args: args.map(fill), env: fillAll(config.env) };
}
