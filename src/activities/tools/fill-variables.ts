import type { Environment } from '../../contract/environment.js';
import { readSecret } from '../secrets/secrets.js';
import { ToolFailed } from './tool-host.js';

const named = /\$\{([A-Za-z_]\w*)\}/g;

/** Fills texts of a configuration. */
export interface VariableFill {
  text: (text: string) => string;
  table: (texts: Readonly<Record<string, string>> | undefined) => Record<string, string>;
}

/**
 * Puts the values of variables in place of `${NAME}`.
 * @param whose what needs them: `the MCP server files`
 * @throws ToolFailed, when it fills, naming one that isn't set
 */
export function variableFill(whose: string, env: Environment): VariableFill {
  const fill = (text: string): string =>
    text.replaceAll(named, (_, name: string) => {
      const value = readSecret(env, name);
      if (value === null) throw new ToolFailed(`${whose} needs the variable ${name}, which isn't set`);
      return value;
    });
  return {
    text: fill,
    table: (texts = {}) =>
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)])),
  };
}
