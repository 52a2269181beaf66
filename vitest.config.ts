import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { sampleSeed } from './test/support/sample-seed.js';

/** Tests that start servers, workers or whole commands: few at a time, and with patience. */
const withServer = [
  'workflow',
  'conformance',
  'fault',
  'replay',
  'cli',
  'published',
  'package',
  'pages',
  'server',
  'python',
].map((room) => `test/${room}/**/*.test.ts`);

/** Unit tests that must have a process of their own: the others of a worker share one, with its modules, one file after the other. */
const ownProcess = [
  // The SDK has one runtime for each process, which is installed once.
  'test/unit/worker/**/quiet-runtime.test.ts',
  // Google's client of Firestore retries a call that nobody waits for after it was closed.
  'test/unit/client/**/firestore-storage.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    env: {
      SAMPLE_SEED: sampleSeed(),
      // Hundreds of processes load the same packages: where the command line keeps what it has compiled.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...withServer, ...ownProcess],
          // To load the modules anew for each file is half of the work.
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-alone',
          include: ownProcess,
          maxWorkers: '100%',
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: withServer,
          // They wait half of their time. With many more, what commands wait for comes too late on two cores.
          maxWorkers: 3,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // After the unit tests, not beside them: both want all cores.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
