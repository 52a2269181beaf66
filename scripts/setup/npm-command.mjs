import { basename, delimiter, dirname } from 'node:path';

/**
 * How to run npm under a certain Node. npm leaves out optional packages that the Node it runs under is too old
 * for, and executables that we need are among them.
 * @param {string} node
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ command: string, args: readonly string[], env: NodeJS.ProcessEnv }}
 */
export function npmCommand(node, env = process.env) {
  const withNode = { ...env, PATH: `${dirname(node)}${delimiter}${env['PATH'] ?? ''}` };
  const cli = env['npm_execpath'];
  // Set by npm for what it starts; other package managers set it too.
  if (cli && /^npm-cli\.c?js$/.test(basename(cli))) return { command: node, args: [cli], env: withNode };
  return { command: 'npm', args: [], env: withNode };
}
