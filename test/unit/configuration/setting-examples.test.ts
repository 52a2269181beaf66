import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inspectConfiguration } from '../../../src/configuration/inspect-configuration.js';
import { exampleOf, settingExamples } from '../../../src/configuration/setting-examples.js';
import { knownSettings, providerTables, withoutEffect } from '../../../src/configuration/settings.js';
import { serverProblems } from '../../../src/server/settings.schema.js';
import { workerProblems } from '../../../src/worker/settings.schema.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** What an example needs beside it. */
const beside: Record<string, string> = {
  'authority.links': 'keys: {main: {hmac: DECISION_KEY}}',
  'worker.deployment': 'build_id: a',
  'worker.build_id': 'deployment: a',
};

it.each(Object.entries(settingExamples))('the example of %s is right', async (name, example) => {
  const [table, ...rest] = name.split('.');
  const line = (example.split(', which')[0] ?? '').replace('sha256:…', `sha256:${'0'.repeat(64)}`);
  const lines =
    rest.length === 0
      ? [line]
      : [`${table}:`, `  ${line}`, ...(beside[name] === undefined ? [] : [`  ${beside[name]}`])];
  const workingFolder = temporaryFolder('examples');
  mkdirSync(join(workingFolder, '.tactus'));
  writeFileSync(join(workingFolder, '.tactus', 'config.yml'), lines.join('\n'));
  const { problems } = await inspectConfiguration(
    { workingFolder, env: { HOME: workingFolder } },
    { server: serverProblems, worker: workerProblems },
  );
  expect(problems, lines.join('\n')).toEqual([]);
});

it('each setting has one', () => {
  // Tables of providers are all as OpenAI's.
  const isOfProvider = (name: string): boolean =>
    name.includes('.') || providerTables.some((each) => name === each || name === `${each}_api_key`);
  const ofReference = ['sandbox', 'notifications', 'control', 'ide', 'gui', 'dependency_mode', 'logging'];
  const named = knownSettings.filter(
    (name) => !isOfProvider(name) && !withoutEffect.includes(name) && !ofReference.includes(name),
  );
  expect(named.filter((name) => exampleOf([name]) === 'remove it')).toEqual([]);
});

it.each([
  ['port: 99999', 'server.port: must be 65535 at most'],
  ['port: -1', 'server.port: must be 0 or more'],
  ['port: "1"', 'server.port: must be a number'],
  ['per_minute: 0', 'server.per_minute: must be above 0'],
  ['hosts: a', 'server.hosts: must be a list'],
  ['hosts: [""]', 'server.hosts.0: is empty'],
  ['jwt: 1', 'server.jwt: must be a table'],
  [
    'tokens: [{name: a, secret: A, roles: [all]}]',
    'server.tokens.0.roles.0: must be one of read, decide, operate',
  ],
  ['prot: 1', 'server.prot: there is no such setting'],
])('%s is refused in words of the settings', async (line, message) => {
  const workingFolder = temporaryFolder('words');
  mkdirSync(join(workingFolder, '.tactus'));
  writeFileSync(join(workingFolder, '.tactus', 'config.yml'), `server:\n  ${line}\n`);
  const { problems } = await inspectConfiguration(
    { workingFolder, env: { HOME: workingFolder } },
    { server: serverProblems, worker: workerProblems },
  );
  expect(problems.map((problem) => problem.message)).toEqual([message]);
});
