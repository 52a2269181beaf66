import { afterAll, afterEach, describe, type RunnerTestCase } from 'vitest';
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
    for (const part of [
      ...[recordChecks, idChecks, listChecks, growthChecks, concurrencyChecks, shapeChecks, damageChecks],
    ])
      part(backend);

    const checks: RunnerTestCase[] = [];
    afterEach(({ task }) => {
      checks.push(task);
    });
    afterAll(() => {
      const passed = checks.filter(({ result }) => result?.state === 'pass').length;
      const cells = [backend.name.padEnd(16), `${passed} of ${checks.length}`.padEnd(12), backend.real];
      console.log(`storage backend: ${cells.join(' ')}`);
    });
  });
}
