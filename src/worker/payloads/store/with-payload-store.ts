import type { DataConverter } from '@temporalio/common';
import { ClaimCheckCodec } from './claim-check-codec.js';
import type { PayloadStore } from './payload-store.js';

/** A data converter that keeps in the store what is too large, as it leaves the converter's own codecs. */
export function withPayloadStore(
  converter: DataConverter | undefined,
  store: PayloadStore | undefined,
): DataConverter {
  const codecs = converter?.payloadCodecs ?? [];
  // A plugin that comes with the connection too is asked twice.
  const isThere = codecs.some((codec) => codec instanceof ClaimCheckCodec && codec.store === store);
  if (store === undefined || isThere) return { ...converter };
  return { ...converter, payloadCodecs: [...codecs, new ClaimCheckCodec(store)] };
}
