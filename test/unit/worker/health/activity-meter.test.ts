import { ApplicationFailure, type MetricMeter, type MetricTags } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { TactusActivities } from '../../../../src/contract/activities.js';
import { ActivityMeter } from '../../../../src/worker/health/activity-meter.js';

type Activities = Pick<TactusActivities, 'modelCall' | 'callTool' | 'verifyDecision' | 'breathe'>;

/** A meter that keeps what it is told, and the activities as they are measured. */
function measured(
  activities: Partial<Activities>,
  attempt = 1,
): {
  told: [string, number, MetricTags][];
  activities: TactusActivities;
} {
  const told: [string, number, MetricTags][] = [];
  const metric = (name: string) => ({
    add: (value: number, tags: MetricTags) => told.push([name, value, tags]),
    record: (_value: number, tags: MetricTags) => told.push([name, 1, tags]),
  });
  const meter = { createCounter: metric, createHistogram: metric } as unknown as MetricMeter;
  const meant = new ActivityMeter(meter, { namespace: 'n' }, () => attempt);
  return { told, activities: meant.measured(activities as TactusActivities) };
}

const usage = { input_tokens: 10, output_tokens: 2, input_usd: 0.0001, output_usd: 0.00002 };
const call = (model: string | null) => ({ call: { model }, idempotencyKey: 'a' }) as never;

it('counts what models did, by the model that answered, and gives their answers on', async () => {
  const answer = { text: 'canary', usage, model: 'openai/gpt-x-2026' } as never;
  const { told, activities } = measured({ modelCall: () => Promise.resolve(answer) });
  expect(await activities.modelCall(call('openai/gpt-x'))).toBe(answer);
  const tags = { namespace: 'n', model: 'openai/gpt-x-2026' };
  expect(told).toEqual([
    ['tactus_model_calls', 1, { ...tags, outcome: 'ok' }],
    ['tactus_model_call_time', 1, { ...tags, outcome: 'ok' }],
    ['tactus_model_tokens', 10, { ...tags, direction: 'input' }],
    ['tactus_model_tokens', 2, { ...tags, direction: 'output' }],
    ['tactus_model_cost_micro_dollars', 120, tags],
  ]);
});

it('counts failures by their code, without their messages, and throws them on', async () => {
  const thrown = [ApplicationFailure.create({ type: 'tool_failed', message: 'canary' }), new Error('canary')];
  const failures = [...thrown];
  const fails = (): Promise<never> => Promise.reject(failures.shift() ?? new Error('no more'));
  const { told, activities } = measured({ callTool: fails });
  const input = { invocation: { source: 'search' } } as never;
  for (const error of thrown) await expect(activities.callTool(input)).rejects.toBe(error);
  expect(told.filter(([name]) => name === 'tactus_tool_calls')).toEqual([
    ['tactus_tool_calls', 1, { namespace: 'n', tool: 'search', outcome: 'tool_failed' }],
    ['tactus_tool_calls', 1, { namespace: 'n', tool: 'search', outcome: 'error' }],
  ]);
  expect(JSON.stringify(told)).not.toContain('canary');
});

it('has no more series than it can keep, whatever procedures call their models', async () => {
  const { told, activities } = measured({ modelCall: () => Promise.reject(new Error('none')) });
  for (let i = 0; i < 500; i++) await activities.modelCall(call(`made-up/${i}`)).catch(() => undefined);
  await activities.modelCall(call('made-up/0')).catch(() => undefined);
  const models = new Set(told.map(([, , { model }]) => model));
  expect(models.size).toBe(201);
  expect(told.at(-1)?.[2].model).toBe('made-up/0');
});

it('counts attempts after the first, of all activities', async () => {
  const { told, activities } = measured({ breathe: () => Promise.resolve() }, 2);
  await activities.breathe();
  expect(told).toEqual([['tactus_retries', 1, { namespace: 'n', activity: 'breathe' }]]);
});

it('counts calls that a hold keeps waiting, apart from errors', async () => {
  const held = ApplicationFailure.create({ type: 'held', message: 'canary' });
  const { told, activities } = measured({ modelCall: () => Promise.reject(held) });
  await expect(activities.modelCall(call('m'))).rejects.toBe(held);
  expect(told).toContainEqual(['tactus_holds', 1, { namespace: 'n', activity: 'modelCall' }]);
  expect(told).toContainEqual(['tactus_model_calls', 1, { namespace: 'n', model: 'm', outcome: 'held' }]);
});

it('counts what becomes of signatures', async () => {
  const verdict = { outcome: 'invalid', message: 'canary' } as const;
  const { told, activities } = measured({ verifyDecision: () => Promise.resolve(verdict) });
  expect(await activities.verifyDecision({} as never)).toBe(verdict);
  expect(told).toEqual([['tactus_verifications', 1, { namespace: 'n', outcome: 'invalid' }]]);
});
