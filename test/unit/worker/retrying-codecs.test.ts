import { ApplicationFailure, defaultPayloadConverter, ensureApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { CodecFault } from '../../../src/worker/payloads/codecs/codec-fault.js';
import { DecodedCheck, withEncodeRetries } from '../../../src/worker/payloads/codecs/configured-codecs.js';
import { failureConverter } from '../../../src/worker/payloads/codecs/encoding-failure-converter.js';

const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('1') };

describe('a worker whose codec is away', () => {
  it('waits for it with what is to be encoded, and fails what is to be decoded', async () => {
    let failures = 1;
    const codec = {
      encode: () => (failures-- > 0 ? Promise.reject(new Error('away')) : Promise.resolve([payload])),
      decode: () => Promise.reject(new Error('away')),
    };
    const told: string[] = [];
    const check = new DecodedCheck(null);
    const patience = { signal: new AbortController().signal, tell: (problem: string) => told.push(problem) };
    const { payloadCodecs = [] } = withEncodeRetries({ payloadCodecs: [check, codec] }, patience);
    expect(payloadCodecs[0]).toBe(check);
    await expect(payloadCodecs[1]?.encode([payload])).resolves.toEqual([payload]);
    expect(told).toEqual(['away']);
    await expect(payloadCodecs[1]?.decode([payload])).rejects.toThrow('away');
  });

  it('gives up as it ends', async () => {
    const end = new AbortController();
    const codec = { encode: () => Promise.reject(new Error('away')), decode: () => Promise.resolve([]) };
    const patience = { signal: end.signal, tell: () => end.abort() };
    const { payloadCodecs = [] } = withEncodeRetries({ payloadCodecs: [codec] }, patience);
    await expect(payloadCodecs[0]?.encode([payload])).rejects.toThrow('away');
  });

  it('says what its codec has failed with, unencoded, and encodes all else', () => {
    const failure = (error: Error) => failureConverter.errorToFailure(error, defaultPayloadConverter);
    const fault = new CodecFault('codec_failed', 'no key');
    for (const error of [fault, ensureApplicationFailure(fault)]) {
      expect(failure(error).message).toBe('no key');
      expect(failure(error).encodedAttributes).toBeUndefined();
    }
    for (const error of [new Error('Jane Doe'), ApplicationFailure.create({ message: 'Jane Doe' })]) {
      const encoded = failure(error);
      expect(encoded.message).toBe('Encoded failure');
      expect(encoded.encodedAttributes).toBeDefined();
      expect(failureConverter.failureToError(encoded, defaultPayloadConverter).message).toBe('Jane Doe');
    }
  });
});
