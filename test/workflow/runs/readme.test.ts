import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks } from '../../support/code-blocks.js';
import { executablePaths } from '../../support/executable-paths.js';
import { answerByRequest } from '../../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

let provider: ProviderStandIn;
let folder: string;

beforeAll(async () => {
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
  // Inside the project, where `tactus-temporal` is the package that was built.
  folder = temporaryFolder('readme', join(root, '.toolchain'));
});

afterAll(async () => {
  await provider.close();
});

it('the test in the README runs as it stands, and three weeks pass', async () => {
  const [procedure = ''] = codeBlocks('README.md', 'lua');
  const test = codeBlocks('README.md', 'ts').find((code) => code.includes('startTestEnvironment'));
  await mkdir(join(folder, 'procedures'));
  await writeFile(join(folder, 'procedures', 'deploy.tac'), procedure);
  const script = (test ?? '').replace('http://127.0.0.1:4010', provider.url);
  await writeFile(join(folder, 'deploy.test.mts'), script);
  const { stdout } = await promisify(execFile)(executablePaths().node, ['deploy.test.mts'], { cwd: folder });
  const output = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { published: boolean; notes: string };
  expect(output.published).toBe(false);
  expect(output.notes).not.toBe('');
  expect(provider.requests).toHaveLength(1);
});
