import { ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { TactusRun } from '../../../../src/client/tactus-run.js';
import { viewRun } from '../../../../src/client/runs/view-run.js';
import { TactusError } from '../../../../src/contract/errors.js';

/** What the server says of a run that closes while a question waits for its first task. */
function neverSeen(): ServiceError {
  const details = 'Workflow execution closed before WorkflowTaskStarted event';
  const cause = Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), {
    code: 3,
    details,
    metadata: {},
  });
  return new ServiceError('Failed to query Workflow', { cause });
}

it('gives a run that ends before any worker has seen it as the server knows it', async () => {
  const statuses = ['RUNNING', 'TIMED_OUT'];
  const describe = () =>
    Promise.resolve({
      type: 'tactus',
      status: { name: statuses.shift() ?? 'TIMED_OUT' },
      raw: {},
      startTime: new Date(0),
      closeTime: new Date(1_000),
      staticSummary: () => Promise.resolve('slow'),
    });
  const run = {
    runId: 'slow-1',
    handle: { describe },
    status: () => Promise.reject(neverSeen()),
    result: () => Promise.reject(new TactusError('cancelled', 'The run slow-1 has timed out')),
  } as unknown as TactusRun;
  expect(await viewRun(run)).toMatchObject({
    ...{ status: 'timed_out', procedure: 'slow', checkpoints: 0 },
    closed_at: '1970-01-01T00:00:01.000Z',
  });
});
