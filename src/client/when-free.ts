import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { busyType } from '../contract/names.js';

const pauseMs = 50;
const longestMs = 30_000;

/** Sends an Update until the run isn't busy with a local activity. @throws whatever else it comes to */
export async function whenFree<T>(send: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await send();
    } catch (error) {
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
      const isBusy = cause instanceof ApplicationFailure && cause.type === busyType;
      if (!isBusy || waitedMs >= longestMs) throw error;
      await pause(pauseMs);
    }
  }
}
