import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathsFile } from './project-folder.mjs';

/**
 * @typedef {object} Paths
 * @property {string} node the Node that runs the project
 * @property {string | null} temporal the Temporal CLI with its development server
 * @property {string | null} temporalTestServer the time-skipping test server
 * @property {{ gguf: string, llamaPackage: string } | null} localModel
 * @property {{ python: string, packages: string } | null} lupa the Lua of the reference, for tests
 * @property {{ python: string, packages: string } | null} tactusControl `tactus control` of the reference, for tests
 * @property {{ python: string, packages: string } | null} schemathesis what tries the HTTP API, for tests
 * @property {{ python: string, packages: string } | null} pythonPackages what the package for Python is built and tested with
 * @property {{ python: string, packages: string } | null} pythonModels what reads the models that the worker in Python is tested with
 * @property {{ python: string, packages: string } | null} pytorch PyTorch and transformers, for tests that were asked for
 * @property {string | null} natsServer the broker of streams, for tests
 * @property {string | null} postgres the folder of PostgreSQL, for tests
 * @property {string | null} hadolint what checks Dockerfiles, for tests
 * @property {{ program: string, schemas: string } | null} helm Helm, and the folder of the schemas of what Kubernetes takes, for tests
 * @property {string | null} prometheus the folder of Prometheus and promtool, for tests
 * @property {string | null} collector the OpenTelemetry collector, for tests that were asked for
 * @property {string | null} temporalRoles the folder of Temporal's server, its SQL tool and its schema, for tests that were asked for
 * @property {string | null} valkeyServer a server that speaks Redis's protocol, for tests
 * @property {{ java: string, folder: string } | null} dynamoDb what DynamoDB Local runs on, and its jars, for tests
 * @property {{ java: string, folder: string } | null} s3 the same of S3Proxy, which speaks S3's protocol
 * @property {{ python: string, packages: string } | null} durableFunctions a local runner of Lambda's durable functions, for tests
 * @property {{ java: string, folder: string } | null} firestore the same of Google's emulator of Firestore, where this machine has it
 * @property {{ executable: string, folder: string } | null} browser headless Chromium, for tests; `folder`: its libraries and fonts
 */

/** @returns {Partial<Paths>} what the last set-up found; empty when there was none */
export function readPaths() {
  try {
    return JSON.parse(readFileSync(pathsFile(), 'utf8'));
  } catch {
    return {};
  }
}

/** @param {Paths} paths */
export function writePaths(paths) {
  const file = pathsFile();
  mkdirSync(dirname(file), { recursive: true });
  // Moved into place, since another command may be reading it.
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(paths, null, 2)}\n`);
  renameSync(`${file}.${process.pid}`, file);
}
