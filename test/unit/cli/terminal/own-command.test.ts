import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { workerCommand } from '../../../../src/cli/connection.js';
import {
  keepFlags,
  ownCommand,
  programName,
  withOwnCommand,
} from '../../../../src/cli/terminal/own-command.js';
import { lastArgument } from '../../../../src/contract/text/shell-word.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

afterEach(() => keepFlags({}));

const script = '/clone/bin/tactus-temporal.mjs';

it.each<[string, string, NodeJS.ProcessEnv, string, string]>([
  [
    'npx',
    '/home/.npm/_npx/a/node_modules/.bin/tactus-temporal',
    { npm_command: 'exec' },
    '/x',
    'npx tactus-temporal',
  ],
  ['a script of the project', '/p/node_modules/.bin/tactus-temporal', {}, '/p', 'npx tactus-temporal'],
  ['one below it', '/p/node_modules/.bin/tactus-temporal', {}, '/p/a/b', 'npx tactus-temporal'],
  ['its path', '/p/node_modules/tactus-temporal/bin/tactus-temporal.mjs', {}, '/p', 'npx tactus-temporal'],
  ['a clone, within', script, {}, '/clone/examples', 'npx tactus-temporal'],
  ['a clone, from elsewhere', script, {}, '/q', `node ${script}`],
  [
    'a clone beside, with a space',
    '/my clone/bin/tactus-temporal.mjs',
    {},
    '/q',
    "node '/my clone/bin/tactus-temporal.mjs'",
  ],
  ['another program', '/p/server.mjs', {}, '/p', 'tactus-temporal'],
])('is typed as it was started: %s', (_, path, env, cwd, command) => {
  expect(programName(path, env, cwd)).toBe(command);
});

it('is its name alone where that is on the path', () => {
  const folder = temporaryFolder('path');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'real.mjs'), '');
  symlinkSync(join(folder, 'real.mjs'), join(folder, 'bin', 'tactus-temporal'));
  const path = join(folder, 'bin', 'tactus-temporal');
  expect(programName(path, { PATH: `/none:${join(folder, 'bin')}` }, '/q')).toBe('tactus-temporal');
  expect(programName(path, { PATH: '/none' }, folder)).toBe('bin/tactus-temporal');
});

it('leads to the same server and files, in texts of ours too', () => {
  expect(ownCommand('resume a')).toBe('tactus-temporal resume a');
  keepFlags({ address: 'db:7233', namespace: 'my own', files: 'data' });
  const flags = "--address db:7233 --namespace 'my own' --files data";
  expect(ownCommand('resume a')).toBe(`tactus-temporal resume a ${flags}`);
  expect(withOwnCommand('stuck; see: tactus-temporal status a')).toBe(
    `stuck; see: tactus-temporal ${flags} status a`,
  );
  expect(ownCommand(`resume ${lastArgument('--help; rm')}`)).toBe(
    `tactus-temporal ${flags} resume -- '--help; rm'`,
  );
  for (const same of [
    'a newer version of tactus-temporal wrote it',
    'tactus-temporal worker --address other:7233',
    'to go on: npx tactus-temporal resume a',
    'see npx tactus-temporal doctor/x'.replace('npx ', '/bin/'),
  ])
    expect(withOwnCommand(same)).toBe(same);
});

it('starts a worker where the run is, with its files and the folder of its procedure', () => {
  const target = { address: 'db:7233', namespace: 'prod', taskQueue: 'tactus' };
  const files = { path: join(process.cwd(), 'data'), isNamed: true };
  expect(workerCommand({ embedded: null, target, files }, 'flows/pay.tac')).toBe(
    'tactus-temporal worker --address db:7233 --namespace prod --task-queue tactus --procedures flows --files data',
  );
  expect(workerCommand({ embedded: {}, target, files: { ...files, isNamed: false } }, 'pay.tac')).toBe(
    'tactus-temporal worker',
  );
});
