import { expect, it } from 'vitest';
import { statusOfWaits, type RunStatus, type Wait } from '../../../../src/contract/runs/run-view.js';

it.each<[Wait['kind'][], RunStatus]>([
  [[], 'running'],
  [['activity'], 'running'],
  [['human'], 'waiting_for_human'],
  [['time'], 'waiting_for_time'],
  [['child'], 'waiting_for_children'],
  [['human', 'activity'], 'running'],
  [['time', 'human'], 'waiting_for_human'],
  [['child', 'human', 'time'], 'waiting_for_human'],
  [['time', 'child'], 'waiting_for_children'],
])('waiting for %j the run is %s', (kinds, status) => {
  expect(statusOfWaits(new Set(kinds))).toBe(status);
});
