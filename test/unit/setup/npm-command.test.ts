import { expect, it } from 'vitest';
import { npmCommand } from '../../../scripts/setup/npm-command.mjs';

const node = '/cache/node/bin/node';
const PATH = '/cache/node/bin:/usr/bin';

it('runs the npm that started us under the given Node', () => {
  const env = { PATH: '/usr/bin', npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js' };
  const { command, args, env: given } = npmCommand(node, env);
  expect([command, ...args]).toEqual([node, env.npm_execpath]);
  expect(given['PATH']).toBe(PATH);
});

it.each([{}, { npm_execpath: '/usr/lib/node_modules/yarn/bin/yarn.js' }])(
  'else takes npm from PATH, where the given Node comes first (%j)',
  (env) => {
    const { command, args, env: given } = npmCommand(node, { PATH: '/usr/bin', ...env });
    expect([command, ...args]).toEqual(['npm']);
    expect(given['PATH']).toBe(PATH);
  },
);
