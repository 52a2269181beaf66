import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { busyType } from '../../contract/names.js';
import { grpcErrorOf } from '../server/grpc-error.js';

const pauseMs = 50;
const longestMs = 30_000;
/** A run whose tasks fail again and again won't take it the next time either. */
const mostTakenBack = 5;
const failedPrecondition = 9;

/** Sends an Update until the run isn't busy with a local activity. @throws whatever else it comes to */
export async function whenFree<T>(send: () => Promise<T>): Promise<T> {
  let takenBack = 0;
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await send();
    } catch (error) {
      const mayTryAgain = wasTakenBack(error) ? ++takenBack <= mostTakenBack : isBusy(error);
      if (!mayTryAgain || waitedMs >= longestMs) throw error;
      await pause(pauseMs);
    }
  }
}

function isBusy(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
  return cause instanceof ApplicationFailure && cause.type === busyType;
}

/**
 * The server takes a workflow task back, with the Updates that it answers, when something arrived while the run was just
 * ending. Nothing of them is in history.
 */
function wasTakenBack(error: unknown): boolean {
  const found = grpcErrorOf(error);
  return found?.code === failedPrecondition && /unexpected workflow task failure/.test(found.details);
}
