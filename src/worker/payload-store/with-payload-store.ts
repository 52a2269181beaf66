import type { DataConverter } from '@temporalio/common';
import { ClaimCheckCodec } from './claim-check-codec.js';
import type { PayloadStore } from './payload-store.js';

/** A data converter that keeps in the store what is too large, as it leaves the converter's own codecs. */
export function withPayloadStore(
  converter: DataConverter | undefined,
  store: PayloadStore | undefined,
): DataConverter {
  if (store === undefined) return { ...converter };
  return {
    ...converter,
    payloadCodecs: [...(converter?.payloadCodecs ?? []), new ClaimCheckCodec(store)],
  };
}
