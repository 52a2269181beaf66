import { setTimeout as delay } from 'node:timers/promises';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { encodes } from '../../../client/index.js';

const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

export interface EncodeRetries {
  /** Ends all waiting. */
  signal: AbortSignal;
  /** Told of what is waited for. */
  tell: (problem: string) => void;
}

/**
 * A converter for workers, whose codecs wait where they can't encode. The SDK ends a worker that can't encode what its tasks have come to,
 * and results that were paid for would be lost. What can't be decoded fails its task, which is tried again.
 */
export function withEncodeRetries(converter: DataConverter, patience: EncodeRetries): DataConverter {
  const { payloadCodecs = [] } = converter;
  return {
    ...converter,
    payloadCodecs: payloadCodecs.map((codec) => (encodes(codec) ? retrying(codec, patience) : codec)),
  };
}

function retrying(codec: PayloadCodec, { signal, tell }: EncodeRetries): PayloadCodec {
  return {
    decode: (payloads, owner) => codec.decode(payloads, owner),
    encode: async (payloads, owner) => {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          return await codec.encode(payloads, owner);
        } catch (error) {
          if (signal.aborted) throw error;
          tell(error instanceof Error ? error.message : String(error));
        }
        await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
