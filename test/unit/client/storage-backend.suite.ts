import { afterAll, describe, type RunnerTestSuite } from 'vitest';
import { damageChecks } from './storage-suite/damage.js';
import { growthChecks } from './storage-suite/growth.js';
import { concurrencyChecks } from './storage-suite/hands.js';
import { idChecks } from './storage-suite/ids.js';
import { listChecks } from './storage-suite/lists.js';
import { recordChecks } from './storage-suite/records.js';
import { shapeChecks } from './storage-suite/shapes.js';
import type { TestedBackend } from './storage-suite/tested-backend.js';

/** What every storage backend must do; each backend's own test calls it. Prints its line of the matrix. */
export function describeStorageBackend(backend: TestedBackend): void {
  describe(`the storage suite, with ${backend.name}`, () => {
    for (const checks of [
      ...[recordChecks, idChecks, listChecks, growthChecks, concurrencyChecks, shapeChecks, damageChecks],
    ])
      checks(backend);

    afterAll(({}, suite) => {
      const results = resultsOf(suite);
      const passed = results.filter((result) => result === 'pass').length;
      const cells = [backend.name.padEnd(16), `${passed} of ${results.length}`.padEnd(12), backend.real];
      console.log(`storage backend: ${cells.join(' ')}`);
    });
  });
}

function resultsOf(suite: Pick<RunnerTestSuite, 'tasks'>): (string | undefined)[] {
  return suite.tasks.flatMap((task) => (task.type === 'test' ? [task.result?.state] : resultsOf(task)));
}
