import { ServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it, vi } from 'vitest';
import { retryWhileBusy } from '../../../../src/client/runs/messages.js';
import { busyType } from '../../../../src/contract/names.js';

function turnedAway(type: string): WorkflowUpdateFailedError {
  return new WorkflowUpdateFailedError('rejected', ApplicationFailure.nonRetryable('no', type));
}

it('an Update is sent again until the run is free', async () => {
  let sent = 0;
  const send = async (): Promise<string> => {
    if (++sent < 3) throw turnedAway(busyType);
    return 'taken';
  };
  expect(await retryWhileBusy(send)).toBe('taken');
  expect(sent).toBe(3);
});

it('what it comes to otherwise is told at once', async () => {
  let sent = 0;
  const send = async (): Promise<string> => {
    sent++;
    throw turnedAway('late');
  };
  await expect(retryWhileBusy(send)).rejects.toMatchObject({ cause: { type: 'late' } });
  expect(sent).toBe(1);
});

describe('an Update that the server took back with its workflow task', () => {
  const takenBack = (): Error =>
    new ServiceError('Workflow Update failed', {
      cause: Object.assign(new Error('9 FAILED_PRECONDITION'), {
        code: 9,
        details: 'Unable to perform workflow execution update due to unexpected workflow task failure.',
        metadata: {},
      }),
    });

  it('is sent again', async () => {
    const send = vi.fn().mockRejectedValueOnce(takenBack()).mockResolvedValueOnce('taken');
    expect(await retryWhileBusy(send)).toBe('taken');
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('is given up where the tasks go on failing', async () => {
    const send = vi.fn().mockImplementation(() => Promise.reject(takenBack()));
    await expect(retryWhileBusy(send)).rejects.toThrow('Workflow Update failed');
    expect(send).toHaveBeenCalledTimes(6);
  });
});
