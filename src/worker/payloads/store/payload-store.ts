import {
  METADATA_ENCODING_KEY,
  type DataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import { createHash } from 'node:crypto';
import { keepsLargeElsewhere } from '../../../client/index.js';
import { claimEncoding, claimKey, unusedPrefix } from '../../../contract/payloads/claim.js';
import { maxInlineBytes } from '../../../contract/runs/limits.js';

/**
 * Keeps payloads that the server refuses for their size. All workers of a task queue need the same one: a run goes on
 * wherever a worker is free. What is put must stay for as long as the run and its history do.
 */
export interface PayloadStore {
  /** Keeps data under a key; the same key always comes with the same data. */
  put(key: string, data: Uint8Array): Promise<void>;
  /** null where there is nothing under the key. */
  get(key: string): Promise<Uint8Array | null>;
}

/** One that can be looked through, and cleaned up. */
export interface ListedPayloadStore extends PayloadStore {
  has(key: string): Promise<boolean>;
  /** What is kept under a key; null: nothing. */
  look(key: string): Promise<KeptPayload | null>;
  /** What is kept under keys that begin so: its size in bytes, and when it was put last, in ms since 1970. */
  list(prefix: string): Promise<KeptPayload[]>;
  /** Removes what is kept under a key, if there is anything. */
  remove(key: string): Promise<void>;
}

export interface KeptPayload {
  key: string;
  size: number;
  at: number;
}

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Hands payloads that are too large for the server, one or together, to a store, and leaves a claim in their place: the SHA-256 of the
 * payload, by which it is found and checked. What the server takes is left alone: clients without a store can read it. As the last of several codecs it gets what the others have encrypted.
 */
export class ClaimCheckCodec implements PayloadCodec {
  /** By this, clients know that they may send more. */
  readonly storesLargePayloads = true;

  constructor(readonly store: PayloadStore) {}

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const encoded = [...payloads];
    const bySize = [...payloads.keys()].sort((a, b) => sizeOf(encoded[b]) - sizeOf(encoded[a]));
    for (const index of bySize) {
      const payload = encoded[index];
      if (payload === undefined || total(encoded) <= maxInlineBytes) break;
      encoded[index] = await this.toClaim(payload);
    }
    return encoded;
  }

  /** @throws Error where the store has lost a payload, or has another one in its place */
  decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map((payload) => this.fromClaim(payload)));
  }

  private async toClaim(payload: Payload): Promise<Payload> {
    const bytes = PayloadMessage.encode(payload).finish();
    const key = sha256(bytes);
    await this.store.put(key, bytes);
    return { metadata: { [METADATA_ENCODING_KEY]: Buffer.from(claimEncoding) }, data: Buffer.from(key) };
  }

  private async fromClaim(payload: Payload): Promise<Payload> {
    const given = payload.metadata?.[METADATA_ENCODING_KEY];
    if (given === undefined || Buffer.from(given).toString() !== claimEncoding) return payload;
    const key = Buffer.from(payload.data ?? []).toString();
    if (!claimKey.test(key)) throw new Error('a claim on a stored payload is damaged');
    // Once more at last: somebody may have put it back between the two.
    const bytes = (await this.store.get(key)) ?? (await this.takeBack(key)) ?? (await this.store.get(key));
    if (bytes === null) throw new Error(`the payload store has no ${key}: do all workers share one store?`);
    if (sha256(bytes) !== key) throw new Error(`the payload store has something else as ${key}`);
    return PayloadMessage.decode(bytes);
  }

  /** What was taken for unused stays under another key for a while: whoever asks for it has it back. */
  private async takeBack(key: string): Promise<Uint8Array | null> {
    const bytes = await this.store.get(unusedPrefix + key);
    // Whoever may only read has it all the same.
    if (bytes !== null) await this.store.put(key, bytes).catch(() => undefined);
    return bytes;
  }
}

function sizeOf(payload: Payload | undefined): number {
  return payload?.data?.length ?? 0;
}

function total(payloads: readonly Payload[]): number {
  return payloads.reduce((sum, payload) => sum + sizeOf(payload), 0);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

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

/** Whether a worker can hand on a log that the server refuses for its size: to its payload store, or to the SDK's own. */
export function storesLargePayloads(hasStore: boolean, converter: DataConverter | undefined): boolean {
  return hasStore || keepsLargeElsewhere(converter ?? {});
}
