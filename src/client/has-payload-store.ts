import type { Client } from '@temporalio/client';
import { maxInlineBytes } from '../contract/limits.js';

/**
 * Whether what a client sends may be larger than the server takes: a codec of ours, or the SDK's external storage, keeps it
 * elsewhere. A codec is known by what it says of itself: its class would bring the worker.
 */
export function hasPayloadStore({ options }: Client): boolean {
  const { payloadCodecs, externalStorage } = options.loadedDataConverter;
  const threshold = externalStorage?.payloadSizeThreshold;
  return (
    payloadCodecs.some((codec) => 'storesLargePayloads' in codec) ||
    (threshold !== undefined && threshold <= maxInlineBytes / 2)
  );
}
