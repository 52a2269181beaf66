import type { MetricMeter, MetricTags } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { OpenCounts } from '../../../../src/read-model/run-index.js';
import { RunGauges } from '../../../../src/server/health/run-gauges.js';

const now = Date.parse('2026-01-10T00:00:00.000Z');

function gaugesOf(answers: (OpenCounts | Error)[]) {
  const told = new Map<string, number>();
  const troubles: string[] = [];
  const asked: (readonly string[])[] = [];
  const meter = {
    createGauge: (name: string) => ({
      set: (value: number, tags: MetricTags) =>
        told.set([name, ...Object.entries(tags).map(([label, each]) => `${label}=${each}`)].join(' '), value),
    }),
  } as unknown as MetricMeter;
  const gauges = new RunGauges({
    groups: { finance: ['flora', 'fred'], board: ['fred', 'eve'] },
    ...{ meter, namespace: 'n', now: () => now, onTrouble: (problem) => troubles.push(problem) },
    index: {
      openCounts: async (bounds) => {
        asked.push(bounds);
        const answer = answers.shift() ?? { runs: [], requests: [] };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  return { told, troubles, asked, gauges };
}

it('tells open runs, and requests by age and group, and 0 when they are gone', async () => {
  const requests = [
    { approvers: ['fred', 'flora', 'ann'], counts: [1, 2, 0, 3], oldestAt: '2026-01-01T00:00:00.000Z' },
    { approvers: [], counts: [1, 0, 0, 0], oldestAt: '2026-01-09T23:59:00.000Z' },
    { approvers: ['bob'], counts: [0, 1, 0, 0], oldestAt: '2026-01-09T20:00:00.000Z' },
  ];
  const { told, asked, gauges } = gaugesOf([
    { runs: [{ procedure: 'p.tac', status: 'paused', count: 4 }], requests },
  ]);
  await gauges.look();
  expect(asked).toEqual([
    ['2026-01-09T23:00:00.000Z', '2026-01-09T00:00:00.000Z', '2026-01-03T00:00:00.000Z'],
  ]);
  expect(told.get('tactus_runs_open namespace=n procedure=p.tac status=paused')).toBe(4);
  const open = (approver: string, age: string) =>
    told.get(`tactus_requests_open namespace=n approver=${approver} age=${age}`);
  expect(open('group:finance', 'older')).toBe(3);
  expect(open('person', 'under_1d')).toBe(3);
  expect(open('anybody', 'under_1h')).toBe(1);
  expect(told.get('tactus_requests_oldest namespace=n approver=group:finance')).toBe(9 * 86_400);
  expect(open('person', 'older')).toBe(3);
  expect([...told.keys()].join()).not.toMatch(/ann|bob|fred|flora|board/);
  await gauges.look();
  expect([...new Set(told.values())]).toEqual([0]);
});

it('keeps what it told while the index does not answer, and says so', async () => {
  const { told, troubles, gauges } = gaugesOf([
    { runs: [{ procedure: 'p.tac', status: 'running', count: 1 }], requests: [] },
    new Error('away'),
  ]);
  await gauges.look();
  await gauges.look();
  expect([...told.values()]).toEqual([1]);
  expect(troubles).toEqual(["metrics: the index of runs can't be read: away"]);
});
