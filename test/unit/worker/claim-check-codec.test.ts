import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Payload } from '@temporalio/common';
import { maxInlineBytes } from '../../../src/contract/runs/limits.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { ClaimCheckCodec, withPayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;
let codec: ClaimCheckCodec;

beforeEach(async () => {
  folder = temporaryFolder('payloads');
  codec = new ClaimCheckCodec(new FilePayloadStore(folder));
});

function payloadOf(bytes: number): Payload {
  return {
    metadata: { encoding: Buffer.from('binary/plain'), kept: Buffer.from('as it was') },
    data: Buffer.alloc(bytes, 'x'),
  };
}

async function claimOf(payload: Payload): Promise<Payload> {
  const [claim] = await codec.encode([payload]);
  return claim as Payload;
}

describe('a payload', () => {
  it('that the server takes stays where it is', async () => {
    const payload = payloadOf(maxInlineBytes);
    expect(await claimOf(payload)).toBe(payload);
    expect(await codec.decode([payload])).toEqual([payload]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('that is too large goes to the store, once, and comes back with all that it had', async () => {
    const payload = payloadOf(maxInlineBytes + 1);
    const claim = await claimOf(payload);
    expect(claim.data?.length).toBe(64);
    expect(await claimOf(payloadOf(maxInlineBytes + 1))).toEqual(claim);
    expect(await readdir(folder)).toHaveLength(1);
    const [back] = await codec.decode([claim]);
    expect(Buffer.from(back?.data ?? []).equals(Buffer.from(payload.data ?? []))).toBe(true);
    expect(Buffer.from(back?.metadata?.['kept'] ?? []).toString()).toBe('as it was');
  });
});

describe('a claim', () => {
  it('that another store has is told from a broken one', async () => {
    const claim = await claimOf(payloadOf(maxInlineBytes + 1));
    const elsewhere = new ClaimCheckCodec(new FilePayloadStore(temporaryFolder('payloads')));
    await expect(elsewhere.decode([claim])).rejects.toThrow('do all workers share one store?');
  });

  it('is refused where the store has something else', async () => {
    const claim = await claimOf(payloadOf(maxInlineBytes + 1));
    const [name] = await readdir(folder);
    await writeFile(join(folder, name as string), 'something else');
    await expect(codec.decode([claim])).rejects.toThrow('something else');
  });

  it('that is no digest never reaches the store', async () => {
    const claim = await claimOf(payloadOf(maxInlineBytes + 1));
    await expect(codec.decode([{ ...claim, data: Buffer.from('../../etc/passwd') }])).rejects.toThrow(
      'damaged',
    );
  });
});

describe('several payloads', () => {
  it('that are too large together leave as few as need be', async () => {
    const [small, large] = await codec.encode([payloadOf(900_000), payloadOf(1_200_000)]);
    expect(small?.data?.length).toBe(900_000);
    expect(large?.data?.length).toBe(64);
  });
});

it('what goes to the store has passed the other codecs', async () => {
  const scrambles = {
    encode: (payloads: Payload[]) =>
      Promise.resolve(payloads.map((payload) => ({ ...payload, data: Buffer.alloc(2_000_000, 'secret') }))),
    decode: (payloads: Payload[]) => Promise.resolve(payloads),
  };
  const kept: Uint8Array[] = [];
  const store = {
    put: (_key: string, data: Uint8Array) => Promise.resolve(void kept.push(data)),
    get: () => Promise.resolve(null),
  };
  const { payloadCodecs = [] } = withPayloadStore({ payloadCodecs: [scrambles] }, store);
  let payloads = [payloadOf(10)];
  for (const each of payloadCodecs) payloads = await each.encode(payloads);
  expect(Buffer.from(kept[0] ?? []).includes('secret')).toBe(true);
  expect(payloads[0]?.data?.length).toBe(64);
});
