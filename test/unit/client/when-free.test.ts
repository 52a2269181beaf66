import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { whenFree } from '../../../src/client/when-free.js';
import { busyType } from '../../../src/contract/names.js';

function turnedAway(type: string): WorkflowUpdateFailedError {
  return new WorkflowUpdateFailedError('rejected', ApplicationFailure.nonRetryable('no', type));
}

it('an Update is sent again until the run is free', async () => {
  let sent = 0;
  const send = async (): Promise<string> => {
    if (++sent < 3) throw turnedAway(busyType);
    return 'taken';
  };
  expect(await whenFree(send)).toBe('taken');
  expect(sent).toBe(3);
});

it('what it comes to otherwise is told at once', async () => {
  let sent = 0;
  const send = async (): Promise<string> => {
    sent++;
    throw turnedAway('late');
  };
  await expect(whenFree(send)).rejects.toMatchObject({ cause: { type: 'late' } });
  expect(sent).toBe(1);
});
