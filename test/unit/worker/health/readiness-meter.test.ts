import type { MetricMeter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { Readiness } from '../../../../src/client/index.js';
import { meterReadiness } from '../../../../src/worker/health/readiness-meter.js';
import { waitUntil } from '../../../support/wait-until.js';

it('tells of each check whether it holds', async () => {
  const told: [number, object][] = [];
  const gauge = { set: (value: number, tags: object) => told.push([value, tags]) };
  const meter = { createGauge: () => gauge } as unknown as MetricMeter;
  const readiness = new Readiness([
    { name: 'temporal', look: () => null },
    { name: 'mirror', look: () => 'behind' },
  ]);
  const end = meterReadiness(meter, readiness, 10);
  await waitUntil(async () => told.length >= 4);
  end();
  expect(told.slice(0, 2)).toEqual([
    [1, { check: 'temporal' }],
    [0, { check: 'mirror' }],
  ]);
});
