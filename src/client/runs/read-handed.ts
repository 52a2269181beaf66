import { gunzipSync } from 'node:zlib';
import { QueryNotRegisteredError } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import type { HandedWork } from '../../contract/runs/handed-work.js';
import { queryNames } from '../../contract/names.js';
import { queryRun } from './query-run.js';
import type { TactusRun } from '../tactus-run.js';
import { toRunFailure } from './to-run-failure.js';

/**
 * Reads what people have done for a run, and no checkpoint has; null where its worker is of a version that doesn't tell.
 * @throws TactusError run_not_found; payload_too_large
 */
export async function readHanded({ handle, runId }: TactusRun): Promise<HandedWork | null> {
  let packed: Uint8Array;
  try {
    packed = await queryRun<Uint8Array>(handle, queryNames.handed);
  } catch (error) {
    if (isUnknown(error)) return null;
    throw toRunFailure(error, runId);
  }
  if (packed.length === 0)
    throw new TactusError(
      'payload_too_large',
      `What people have done for ${runId} is too large for an answer`,
    );
  return JSON.parse(gunzipSync(packed).toString()) as HandedWork;
}

/** The SDK gives every question that failed in the worker this name. */
function isUnknown(error: unknown): boolean {
  return error instanceof QueryNotRegisteredError && error.message.includes('did not register a handler');
}
