import { executableStep } from '../executable-step.mjs';
import { hadolint, helm, natsServer, valkeyServer } from '../executables.mjs';
import { optionalStep, say, stepLine } from '../report.mjs';
import { browserStep } from './browser-step.mjs';
import { collectorStep } from './collector-step.mjs';
import { durableFunctionsStep } from './durable-functions-step.mjs';
import { firestoreEmulator } from './firestore-emulator.mjs';
import { jarsStep } from './jars-step.mjs';
import { javaStep } from './java-step.mjs';
import { kubernetesSchemasStep } from './kubernetes-schemas-step.mjs';
import { lupaStep } from './lupa-step.mjs';
import { postgresStep } from './postgres-step.mjs';
import { prometheusStep } from './prometheus-step.mjs';
import { pythonModelsStep } from './python-models-step.mjs';
import { pythonStep } from './python-step.mjs';
import { pytorchStep } from './pytorch-step.mjs';
import { schemathesisStep } from './schemathesis-step.mjs';
import { tactusControlStep } from './tactus-control-step.mjs';
import { temporalRolesStep } from './temporal-roles-step.mjs';

const withoutLupa = 'the tests that compare with the Lua of the reference are skipped.';
const withoutTactusControl = 'the tests that let `tactus control` of the reference answer are skipped.';
const withoutSchemathesis = 'the test that tries the HTTP API with made-up requests is skipped.';
const withoutPython = 'the package for Python is neither built nor tested.';
const withoutPythonModels = 'the tests of models that a worker in Python loads are skipped.';
const withoutPytorch = 'the tests of models of PyTorch are skipped.';
const withoutBrowser = 'the tests that look at pages are skipped.';
const withoutNats = 'the tests of streams between processes will fail.';
const withoutPostgres = 'the tests of an index of runs and of a storage in PostgreSQL are skipped.';
const withoutHadolint = 'the check of the Dockerfile is skipped.';
const withoutHelm = 'the tests of the Helm chart are skipped.';
const withoutPrometheus = 'the tests of alerts and of the dashboard are skipped.';
const withoutCollector = 'the test of traces through a collector is skipped.';
const withoutTemporalRoles = 'the tests on a server with a process for each service are skipped.';
const withoutValkey = 'the tests of a storage in Redis are skipped.';
const withoutJava = 'the tests of storages in DynamoDB and S3 are skipped.';
const withoutDynamoDb = 'the tests of a storage in DynamoDB are skipped.';
const withoutS3 = 'the tests of a storage in S3 are skipped.';
const withoutDurableFunctions = 'the tests of a storage in Lambda are skipped.';

/**
 * Gets what only tests need, which the package doesn't have.
 * @param {Partial<import('../paths.mjs').Paths>} known what the last set-up found
 * @returns {Promise<Omit<import('../paths.mjs').Paths, 'node' | 'temporal' | 'temporalTestServer' | 'localModel'>>}
 */
export async function pathsForTests(known) {
  const lupa = await optionalStep('reference Lua', lupaStep, withoutLupa);
  const tactusControl = await optionalStep('tactus control', tactusControlStep, withoutTactusControl);
  const schemathesis = await optionalStep('schemathesis', schemathesisStep, withoutSchemathesis);
  const python = await optionalStep('Python', pythonStep, withoutPython);
  const pythonModels = await optionalStep('Python models', pythonModelsStep, withoutPythonModels);
  // So much that it comes only where it is asked for.
  const pytorch =
    process.env['PYTORCH_TEST'] === 'required'
      ? await optionalStep('PyTorch', pytorchStep, withoutPytorch)
      : known.pytorch;
  const browser = await optionalStep('browser', browserStep, withoutBrowser);
  const nats = await optionalStep('NATS server', () => executableStep(natsServer), withoutNats);
  const postgres = await optionalStep('PostgreSQL', postgresStep, withoutPostgres);
  const hadolintFound = await optionalStep('hadolint', () => executableStep(hadolint), withoutHadolint);
  const helmFound = await optionalStep('Helm', () => executableStep(helm), withoutHelm);
  const schemas = helmFound && (await optionalStep('Kubernetes', kubernetesSchemasStep, withoutHelm));
  const prometheus = await optionalStep('Prometheus', prometheusStep, withoutPrometheus);
  // So much to build that they come only where they are asked for.
  const collector =
    process.env['COLLECTOR_TEST'] === 'required'
      ? await optionalStep('collector', collectorStep, withoutCollector)
      : null;
  const temporalRoles =
    process.env['ROLES_TEST'] === 'required'
      ? await optionalStep('Temporal server', temporalRolesStep, withoutTemporalRoles)
      : null;
  const valkey = await optionalStep('Valkey server', () => executableStep(valkeyServer), withoutValkey);
  const java = await optionalStep('Java', javaStep, withoutJava);
  const dynamoDb =
    java && (await optionalStep('DynamoDB Local', () => jarsStep('dynamodb-local'), withoutDynamoDb));
  const s3 = java && (await optionalStep('S3Proxy', () => jarsStep('s3proxy'), withoutS3));
  const durableFunctions = await optionalStep(
    'durable functions',
    durableFunctionsStep,
    withoutDurableFunctions,
  );
  const emulator = java && firestoreEmulator();
  if (emulator) say(stepLine('Firestore', { detail: `Google Cloud CLI ${emulator.version}, on PATH` }));
  return {
    lupa: packagesOf(lupa),
    tactusControl: packagesOf(tactusControl),
    schemathesis: packagesOf(schemathesis),
    pythonPackages: packagesOf(python),
    pythonModels: packagesOf(pythonModels),
    pytorch: packagesOf(pytorch),
    natsServer: nats?.path ?? known.natsServer ?? null,
    postgres: postgres?.path ?? known.postgres ?? null,
    hadolint: hadolintFound?.path ?? known.hadolint ?? null,
    helm: helmFound && schemas ? { program: helmFound.path, schemas: schemas.path } : (known.helm ?? null),
    prometheus: prometheus?.path ?? known.prometheus ?? null,
    collector: collector?.path ?? known.collector ?? null,
    temporalRoles: temporalRoles?.path ?? known.temporalRoles ?? null,
    valkeyServer: valkey?.path ?? known.valkeyServer ?? null,
    dynamoDb: java && dynamoDb ? { java: java.path, folder: dynamoDb.path } : (known.dynamoDb ?? null),
    s3: java && s3 ? { java: java.path, folder: s3.path } : (known.s3 ?? null),
    durableFunctions: packagesOf(durableFunctions),
    firestore: java && emulator ? { java: java.path, folder: emulator.folder } : (known.firestore ?? null),
    browser: browser ? { executable: browser.executable, folder: browser.folder } : null,
  };
}

/**
 * @param {{ python: string, packages: string } | null | undefined} found
 * @returns {{ python: string, packages: string } | null}
 */
function packagesOf(found) {
  return found ? { python: found.python, packages: found.packages } : null;
}
