import type { DataConverter } from '@temporalio/common';
import { keepsLargeElsewhere } from '../../../client/payloads/has-payload-store.js';

/** Whether a worker can hand on a log that the server refuses for its size: to its payload store, or to the SDK's own. */
export function storesLargePayloads(hasStore: boolean, converter: DataConverter | undefined): boolean {
  return hasStore || keepsLargeElsewhere(converter ?? {});
}
