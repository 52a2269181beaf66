import { browserStep } from './browser-step.mjs';
import { durableFunctionsStep } from './durable-functions-step.mjs';
import { executableStep } from './executable-step.mjs';
import { natsServer, temporalTestServer, valkeyServer } from './executables.mjs';
import { firestoreEmulator } from './firestore-emulator.mjs';
import { jarsStep } from './jars-step.mjs';
import { javaStep } from './java-step.mjs';
import { languageModelStep } from './language-model-step.mjs';
import { llamaStep } from './llama-step.mjs';
import { lupaStep } from './lupa-step.mjs';
import { nodeStep } from './node-step.mjs';
import { packagesStep } from './packages-step.mjs';
import { readPaths, writePaths } from './paths.mjs';
import { postgresStep } from './postgres-step.mjs';
import { isClone } from './project-folder.mjs';
import { pythonModelsStep } from './python-models-step.mjs';
import { pytorchStep } from './pytorch-step.mjs';
import { pythonStep } from './python-step.mjs';
import { optionalStep, say, step, stepLine } from './report.mjs';
import { tactusControlStep } from './tactus-control-step.mjs';
import { schemathesisStep } from './schemathesis-step.mjs';
import { temporalStep } from './temporal-step.mjs';

const withoutModel = 'procedures need a key for a language model (OPENAI_API_KEY or ANTHROPIC_API_KEY).';
const withoutTemporal =
  'put a Temporal CLI with server 1.29 or newer on PATH, or set TEMPORAL_ADDRESS to a server of your own.';
const withoutLupa = 'the tests that compare with the Lua of the reference are skipped.';
const withoutTactusControl = 'the tests that let `tactus control` of the reference answer are skipped.';
const withoutSchemathesis = 'the test that tries the HTTP API with made-up requests is skipped.';
const withoutPython = 'the package for Python is neither built nor tested.';
const withoutPythonModels = 'the tests of models that a worker in Python loads are skipped.';
const withoutPytorch = 'the tests of models of PyTorch are skipped.';
const withoutBrowser = 'the tests that look at pages are skipped.';
const withoutNats = 'the tests of streams between processes will fail.';
const withoutPostgres = 'the tests of an index of runs and of a storage in PostgreSQL are skipped.';
const withoutValkey = 'the tests of a storage in Redis are skipped.';
const withoutJava = 'the tests of storages in DynamoDB and S3 are skipped.';
const withoutDynamoDb = 'the tests of a storage in DynamoDB are skipped.';
const withoutS3 = 'the tests of a storage in S3 are skipped.';
const withoutDurableFunctions = 'the tests of a storage in Lambda are skipped.';
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
  // What an earlier set-up got stays known.
  const lupa = forTests ? await optionalStep('reference Lua', lupaStep, withoutLupa) : readPaths().lupa;
  const tactusControl = forTests
    ? await optionalStep('tactus control', tactusControlStep, withoutTactusControl)
    : readPaths().tactusControl;
  const schemathesis = forTests
    ? await optionalStep('schemathesis', schemathesisStep, withoutSchemathesis)
    : readPaths().schemathesis;
  const python = forTests
    ? await optionalStep('Python', pythonStep, withoutPython)
    : readPaths().pythonPackages;
  const pythonModels = forTests
    ? await optionalStep('Python models', pythonModelsStep, withoutPythonModels)
    : readPaths().pythonModels;
  // So much that it comes only where it is asked for.
  const wantsPytorch = forTests && process.env['PYTORCH_TEST'] === 'required';
  const pytorch = wantsPytorch
    ? await optionalStep('PyTorch', pytorchStep, withoutPytorch)
    : readPaths().pytorch;
  const browser = forTests ? await optionalStep('browser', browserStep, withoutBrowser) : readPaths().browser;
  const nats = forTests
    ? await optionalStep('NATS server', () => executableStep(natsServer), withoutNats)
    : null;
  const postgres = forTests ? await optionalStep('PostgreSQL', postgresStep, withoutPostgres) : null;
  const valkey = forTests
    ? await optionalStep('Valkey server', () => executableStep(valkeyServer), withoutValkey)
    : null;
  const java = forTests ? await optionalStep('Java', javaStep, withoutJava) : null;
  const dynamoDb =
    java && (await optionalStep('DynamoDB Local', () => jarsStep('dynamodb-local'), withoutDynamoDb));
  const s3 = java && (await optionalStep('S3Proxy', () => jarsStep('s3proxy'), withoutS3));
  const durableFunctions = forTests
    ? await optionalStep('durable functions', durableFunctionsStep, withoutDurableFunctions)
    : readPaths().durableFunctions;
  const emulator = java && firestoreEmulator();
  if (emulator) say(stepLine('Firestore', { detail: `Google Cloud CLI ${emulator.version}, on PATH` }));
  const paths = {
    node,
    temporal: temporal?.path ?? null,
    temporalTestServer: testServer?.path ?? null,
    localModel: weights && llama ? { gguf: weights.gguf, llamaPackage: llama.llamaPackage } : null,
    lupa: lupa ? { python: lupa.python, packages: lupa.packages } : null,
    tactusControl: tactusControl ? { python: tactusControl.python, packages: tactusControl.packages } : null,
    schemathesis: schemathesis ? { python: schemathesis.python, packages: schemathesis.packages } : null,
    pythonPackages: python ? { python: python.python, packages: python.packages } : null,
    pythonModels: pythonModels ? { python: pythonModels.python, packages: pythonModels.packages } : null,
    pytorch: pytorch ? { python: pytorch.python, packages: pytorch.packages } : null,
    natsServer: nats?.path ?? readPaths().natsServer ?? null,
    postgres: postgres?.path ?? readPaths().postgres ?? null,
    valkeyServer: valkey?.path ?? readPaths().valkeyServer ?? null,
    dynamoDb: java && dynamoDb ? { java: java.path, folder: dynamoDb.path } : (readPaths().dynamoDb ?? null),
    s3: java && s3 ? { java: java.path, folder: s3.path } : (readPaths().s3 ?? null),
    durableFunctions: durableFunctions
      ? { python: durableFunctions.python, packages: durableFunctions.packages }
      : null,
    firestore:
      java && emulator ? { java: java.path, folder: emulator.folder } : (readPaths().firestore ?? null),
    browser: browser ? { executable: browser.executable, folder: browser.folder } : null,
  };
  writePaths(paths);
  return paths;
}
