import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  type RunnerTask,
  type RunnerTestCase,
} from 'vitest';
import { damageChecks } from './storage-suite/damage.js';
import { growthChecks } from './storage-suite/growth.js';
import { concurrencyChecks } from './storage-suite/hands.js';
import { idChecks } from './storage-suite/ids.js';
import { ledgerChecks } from './storage-suite/ledgers.js';
import { lateChecks } from './storage-suite/late.js';
import { listChecks } from './storage-suite/lists.js';
import { recordChecks } from './storage-suite/records.js';
import { shapeChecks } from './storage-suite/shapes.js';
import { threadChecks } from './storage-suite/threads.js';
import type { TestedBackend } from './storage-suite/tested-backend.js';

/** What every storage backend must do; each backend's own test calls it. Prints its line of the matrix. */
export function describeStorageBackend(backend: TestedBackend): void {
  describe(`the storage suite, with ${backend.name}`, () => {
    const { unable = [] } = backend;
    const passedOver = new Set<RegExp>();
    beforeEach(({ task, skip }) => {
      const [check, reason] = unable.find(([each]) => each.test(task.name)) ?? [];
      if (check === undefined) return;
      passedOver.add(check);
      skip(reason);
    });

    for (const part of [
      ...[
        recordChecks,
        idChecks,
        listChecks,
        growthChecks,
        lateChecks,
        concurrencyChecks,
        shapeChecks,
        damageChecks,
        threadChecks,
        ledgerChecks,
      ],
    ])
      part(backend);

    const checks: RunnerTestCase[] = [];
    afterEach(({ task }) => {
      checks.push(task);
    });
    afterAll(() => {
      const passed = checks.filter(({ result }) => result?.state === 'pass').length;
      const left = checks.filter(({ mode, result }) => result?.state === 'skip' || mode === 'skip').length;
      const count = `${passed} of ${checks.length}${left === 0 ? '' : `, ${left} can't apply`}`;
      console.log(`storage backend: ${[backend.name.padEnd(16), count.padEnd(12), backend.real].join(' ')}`);
      // One that no check has the name of any more says nothing. Where checks are filtered, that can't be seen.
      const [first] = checks;
      if (first !== undefined && testsOf(first.file).some(({ result }) => result === undefined)) return;
      expect(unable.map(([check]) => check).filter((check) => !passedOver.has(check))).toEqual([]);
    });
  });
}

function testsOf(task: RunnerTask): RunnerTestCase[] {
  return task.type === 'test' ? [task] : task.tasks.flatMap(testsOf);
}
