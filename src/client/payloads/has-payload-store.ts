import type { Client } from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { maxInlineBytes } from '../../contract/runs/limits.js';

/**
 * Whether what a client sends may be larger than the server takes: a codec of ours, or the SDK's external storage, keeps it
 * elsewhere. A codec is known by what it says of itself: its class would bring the worker.
 */
export function hasPayloadStore({ options }: Client): boolean {
  const { loadedDataConverter: converter } = options;
  return converter.payloadCodecs.some(isPayloadStore) || keepsLargeElsewhere(converter);
}

export function isPayloadStore(codec: PayloadCodec): boolean {
  return 'storesLargePayloads' in codec;
}

/** Whether a codec makes something else of what it is given, rather than keep it elsewhere or look at it. */
export function encodes(codec: PayloadCodec): boolean {
  return !isPayloadStore(codec) && !('onlyChecks' in codec);
}

/**
 * The SDK's external storage looks at each payload alone, so the largest that it leaves must fit in beside another one: what
 * goes on in another execution has two.
 */
export function keepsLargeElsewhere({ externalStorage }: Pick<DataConverter, 'externalStorage'>): boolean {
  const threshold = externalStorage?.payloadSizeThreshold;
  return threshold !== undefined && threshold <= maxInlineBytes / 2;
}
