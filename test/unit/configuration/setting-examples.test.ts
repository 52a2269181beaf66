import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inspectConfiguration } from '../../../src/configuration/inspect-configuration.js';
import { exampleOf, settingExamples } from '../../../src/configuration/setting-examples.js';
import { knownSettings, withoutEffect } from '../../../src/configuration/settings.js';
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
  const providers = /^(anthropic|google|aws|azure|mistral|groq|xai|openrouter|ollama|vllm|openai_api_key)|\./;
  const ofReference = ['sandbox', 'notifications', 'control', 'ide', 'gui', 'dependency_mode', 'logging'];
  const named = knownSettings.filter(
    (name) => !providers.test(name) && !withoutEffect.includes(name) && !ofReference.includes(name),
  );
  expect(named.filter((name) => exampleOf([name]) === 'remove it')).toEqual([]);
});
