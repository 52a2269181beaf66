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
          exclude: withServer,
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
