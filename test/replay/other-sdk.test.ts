import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workflowBundle, workflowBundlePath } from '../../src/worker/bundles/workflow-bundle.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const sdk = vi.hoisted(() => ({ version: '' }));
const bundleWorkflows = vi.hoisted(() => vi.fn(async (compiled: string) => `// made of ${compiled}`));
vi.mock('../../src/worker/sdk-versions.js', () => ({ workerVersion: () => sdk.version }));
vi.mock('../../src/worker/bundles/bundle-workflows.js', () => ({ bundleWorkflows }));

const prebuilt = workflowBundlePath();
const { sdk: builtWith } = JSON.parse(readFileSync(`${prebuilt}.json`, 'utf8')) as { sdk: string };
let cache: string;

beforeEach(() => {
  cache = temporaryFolder('other-sdk');
  vi.stubEnv('TACTUS_TEMPORAL_CACHE', cache);
  bundleWorkflows.mockClear();
});
afterEach(() => vi.unstubAllEnvs());

it('the prebuilt bundle is for the SDK that it was made with', async () => {
  sdk.version = builtWith;
  expect(await workflowBundle()).toEqual({ codePath: prebuilt });
  expect(bundleWorkflows).not.toHaveBeenCalled();
});

it('for another SDK one is made, and kept for all workers', async () => {
  sdk.version = '1.23.4';
  const made = await workflowBundle();
  if (!('codePath' in made)) throw new Error('it is not kept');
  expect(made.codePath).toMatch(/-sdk-1\.23\.4\.js$/);
  expect(readFileSync(made.codePath, 'utf8')).toMatch(/^\/\/ made of /);
  expect(await workflowBundle()).toEqual(made);
  expect(bundleWorkflows).toHaveBeenCalledTimes(1);
  sdk.version = '1.23.5';
  expect(await workflowBundle()).not.toEqual(made);
  expect(readdirSync(join(cache, 'workflow-bundles'))).toHaveLength(2);
});

it('is handed over where nothing can be kept', async () => {
  sdk.version = '1.23.4';
  vi.stubEnv('TACTUS_TEMPORAL_CACHE', '/dev/null/nowhere');
  expect(await workflowBundle()).toEqual({ code: expect.stringMatching(/^\/\/ made of /) as string });
  expect(existsSync('/dev/null/nowhere')).toBe(false);
});
