import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { sampleSeed } from './test/support/sample-seed.js';

const testsOf = (room: string): string => `test/${room}/**/*.test.ts`;
/** Workers run in the process of the tests. Its files share it, and load the SDK once. */
const withWorkers = ['workflow', 'conformance', 'server'].map(testsOf);
/** Most of the work is done by other processes. */
const withCommands = ['fault', 'replay', 'cli', 'published', 'package', 'pages', 'python'].map(testsOf);
/** Both start servers, workers or whole commands: few at a time, and with patience. */
const patient = { testTimeout: 180_000, hookTimeout: 120_000 };
/** They wait half of their time. With many more, what commands wait for comes too late on two cores. */
const atOnce = { workers: 3, commands: 3 };
/** One after the other: each wants all cores. */
const order = { unit: 0, commands: 1, workers: 2 };

/** Unit tests take all cores. */
const withoutServer = { maxWorkers: '100%', testTimeout: 30_000, sequence: { groupOrder: order.unit } };

/** Unit tests that must have a process of their own: the others of a worker share one, with its modules, one file after the other. */
const ownProcess = [
  // The SDK has one runtime for each process, which is installed once.
  'test/unit/worker/**/quiet-runtime.test.ts',
  // Google's client of Firestore retries a call that nobody waits for after it was closed.
  'test/unit/client/**/firestore-storage.test.ts',
  // What replaces a module must be the first to load it, and others would be given the replacement.
  ...readdirSync('test/unit', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test/unit', path))
    .filter((path) => readFileSync(path, 'utf8').includes('vi.mock(')),
];

/** A client of the SDK tries a call again whose connection was closed with its server, when its test is over and nobody waits for it. */
function isLateRetry({ message, stack = '' }: { message: string; stack?: string | undefined }): boolean {
  return message === 'Channel has been shut down' && stack.includes('grpc-retry');
}

const eachFile = 'test/support/each-file.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    onUnhandledError: (error) => !isLateRetry(error),
    env: {
      SAMPLE_SEED: sampleSeed(),
      // Hundreds of processes load the same packages: where the command line keeps what it has compiled.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    },
    projects: [
      {
        extends: true,
        test: {
          ...withoutServer,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...withWorkers, ...withCommands, ...ownProcess],
          // To load the modules anew for each file is half of the work.
          isolate: false,
          setupFiles: eachFile,
        },
      },
      {
        extends: true,
        test: {
          ...withoutServer,
          name: 'unit-alone',
          include: ownProcess,
          setupFiles: eachFile,
        },
      },
      {
        extends: true,
        test: {
          ...patient,
          name: 'commands',
          maxWorkers: atOnce.commands,
          sequence: { groupOrder: order.commands },
          include: withCommands,
          setupFiles: eachFile,
        },
      },
      {
        extends: true,
        test: {
          ...patient,
          name: 'server',
          maxWorkers: atOnce.workers,
          sequence: { groupOrder: order.workers },
          include: withWorkers,
          isolate: false,
          setupFiles: [eachFile, 'test/support/each-file-with-server.ts'],
        },
      },
    ],
  },
});
