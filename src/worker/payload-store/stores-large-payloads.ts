import type { DataConverter } from '@temporalio/common';
import { maxInlineBytes } from '../../contract/limits.js';

/**
 * Whether a worker can hand on a log that the server refuses for its size: to its payload store, or to the SDK's own
 * external storage. That one looks at each payload alone, so the largest that it leaves must fit in beside another one:
 * what goes on in another execution has two.
 */
export function storesLargePayloads(hasStore: boolean, converter: DataConverter | undefined): boolean {
  const threshold = converter?.externalStorage?.payloadSizeThreshold;
  return hasStore || (threshold !== undefined && threshold <= maxInlineBytes / 2);
}
