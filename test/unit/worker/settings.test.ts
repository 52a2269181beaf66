import { describe, expect, it } from 'vitest';
import { readListenAddress } from '../../../src/configuration/setting-values.js';
import { readWorkerSettings, sdkOptions } from '../../../src/worker/settings.schema.js';

describe('settings of a worker', () => {
  it('begins runs on an older engine where it is told so', () => {
    const { patchActivationCallback: isActive } = sdkOptions(
      readWorkerSettings({}, { TACTUS_TEMPORAL_ENGINE: '9' }),
    );
    const asked = (patchId: string): boolean | undefined =>
      isActive?.({ patchId, workflowInfo: {} as never });
    expect(['engine-9', 'engine-10', 'limit-ceilings'].map(asked)).toEqual([true, false, true]);
    expect(sdkOptions(readWorkerSettings({}, {})).patchActivationCallback).toBeUndefined();
    for (const engine of [0, 11, 'new'])
      expect(() => readWorkerSettings({ engine }, {})).toThrow(/worker.engine: /);
  });

  it('are those of the SDK and ours where nobody says anything', () => {
    expect(sdkOptions(readWorkerSettings({}, {}))).toEqual({
      shutdownGraceTime: 10_000,
      stickyQueueScheduleToStartTimeout: 3_000,
    });
  });

  it('are what the SDK is told', () => {
    const given = {
      ...{ grace_period: '1m', sticky_timeout: '10s', workflow_tasks: 7, activities: 8, local_activities: 9 },
      ...{ workflow_pollers: 2, activity_pollers: 3, activities_per_second: 1.5, queue_per_second: 4 },
      ...{ cache_memory: '1GB', deployment: 'orders', build_id: 'b1' },
    };
    expect(sdkOptions(readWorkerSettings(given, {}))).toEqual({
      ...{ shutdownGraceTime: 60_000, stickyQueueScheduleToStartTimeout: 10_000 },
      ...{ maxConcurrentWorkflowTaskExecutions: 7, maxConcurrentActivityTaskExecutions: 8 },
      ...{ maxConcurrentLocalActivityExecutions: 9, maxConcurrentWorkflowTaskPolls: 2 },
      ...{
        maxConcurrentActivityTaskPolls: 3,
        maxActivitiesPerSecond: 1.5,
        maxTaskQueueActivitiesPerSecond: 4,
      },
      maxCachedWorkflows: 3_623,
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: 'orders', buildId: 'b1' },
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      },
    });
  });

  it('take what the environment says first, and say which variable is wrong', () => {
    const env = {
      TEMPORAL_DEPLOYMENT_NAME: 'a',
      TEMPORAL_WORKER_BUILD_ID: 'b',
      TACTUS_TEMPORAL_HEALTH: '[::]:1',
    };
    expect(readWorkerSettings({ deployment: 'x', build_id: 'y', health: 5 }, env)).toMatchObject({
      ...{ deployment: 'a', build_id: 'b', health: { host: '::', port: 1 } },
    });
    expect(() => readWorkerSettings({}, { TACTUS_TEMPORAL_HEALTH: 'x' })).toThrow(
      /^TACTUS_TEMPORAL_HEALTH: must be a port/,
    );
    expect(() => readWorkerSettings({}, { TEMPORAL_WORKER_BUILD_ID: 'b' })).toThrow(
      /needs both deployment and build_id/,
    );
    expect(() => readWorkerSettings({ slots: 1 }, {})).toThrow(/worker\.slots: there is no such setting/);
  });

  it.each([
    ['8701', { host: '127.0.0.1', port: 8701 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['pod.local:80', { host: 'pod.local', port: 80 }],
    ['70000', null],
    ['::1:80', null],
    ['http://a:80', null],
    ['a:b', null],
    ['', null],
  ])('read the address %s', (text, address) => {
    expect(readListenAddress(text)).toEqual(address);
  });
});
