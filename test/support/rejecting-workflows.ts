import { condition } from '@temporalio/workflow';

/** Loses a promise that rejects: the SDK looks for the run that it belongs to. */
export async function losesRejection(): Promise<void> {
  void Promise.reject(new Error('nobody waits for this'));
  await condition(() => false);
}
