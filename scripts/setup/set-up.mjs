import { executableStep } from './executable-step.mjs';
import { temporalTestServer } from './executables.mjs';
import { languageModelStep } from './language-model-step.mjs';
import { llamaStep } from './llama-step.mjs';
import { nodeStep } from './node-step.mjs';
import { packagesStep } from './packages-step.mjs';
import { readPaths, writePaths } from './paths.mjs';
import { isClone, siteFolder } from './project-folder.mjs';
import { optionalStep, step } from './report.mjs';
import { temporalStep } from './temporal-step.mjs';

const withoutModel = 'procedures need a key for a language model (OPENAI_API_KEY or ANTHROPIC_API_KEY).';
const withoutTemporal =
  'put a Temporal CLI with server 1.29 or newer on PATH, or set TEMPORAL_ADDRESS to a server of your own.';
const withoutSitePackages = 'the tests that build the site will fail.';
const withoutTestServer = 'the tests that skip time will fail.';

/**
 * Gets all that the project needs and writes down where it is. What is there already is not fetched again.
 * @param {{ forTests?: boolean }} [options] `forTests`: also what only tests need
 * @returns {Promise<import('./paths.mjs').Paths>}
 */
export async function setUp({ forTests = false } = {}) {
  const { node } = await step('node', nodeStep);
  if (isClone) await step('packages', () => packagesStep(node));
  const temporal = await optionalStep('temporal', () => temporalStep(), withoutTemporal);
  const testServer = await optionalStep(
    'test server',
    () => executableStep(temporalTestServer),
    withoutTestServer,
  );
  const weights = await optionalStep('local model', languageModelStep, withoutModel);
  const llama = weights && (await optionalStep('model runtime', () => llamaStep(node), withoutModel));
  if (forTests && isClone)
    await optionalStep('site packages', () => packagesStep(node, siteFolder), withoutSitePackages);
  const known = readPaths();
  const forTestsAlone = forTests
    ? await (await import('./for-tests/paths-for-tests.mjs')).pathsForTests(known)
    : keptForTests(known);
  const paths = {
    ...forTestsAlone,
    node,
    temporal: temporal?.path ?? null,
    temporalTestServer: testServer?.path ?? null,
    localModel: weights && llama ? { gguf: weights.gguf, llamaPackage: llama.llamaPackage } : null,
  };
  writePaths(paths);
  return paths;
}

/**
 * What an earlier set-up got stays known.
 * @param {Partial<import('./paths.mjs').Paths>} known
 */
function keptForTests(known) {
  const nothing = {
    ...{ lupa: null, tactusControl: null, schemathesis: null, pythonPackages: null, pythonModels: null },
    ...{ pytorch: null, natsServer: null, postgres: null, valkeyServer: null, dynamoDb: null, s3: null },
    ...{ hadolint: null, helm: null, prometheus: null, collector: null, temporalRoles: null },
    ...{ durableFunctions: null, firestore: null, browser: null },
  };
  return { ...nothing, ...known };
}
