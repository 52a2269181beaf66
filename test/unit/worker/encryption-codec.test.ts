// cspell:ignore BQUF abcc
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { codecOf } from '../../../src/configuration/worker-settings.js';
import type { TactusError } from '../../../src/contract/errors.js';
import { noCodec, type CodecSettings } from '../../../src/contract/payloads/codec-settings.js';
import { configuredCodecs } from '../../../src/worker/payloads/codecs/configured-codecs.js';
import {
  EncryptionCodec,
  type EncryptionOptions,
} from '../../../src/worker/payloads/codecs/encryption/encryption-codec.js';
import { masterKeysOf } from '../../../src/worker/payloads/codecs/encryption/master-keys.js';
import { mostUnpackedBytes } from '../../../src/worker/payloads/codecs/encryption/packed-bytes.js';
import { payloadEncryption } from '../../../src/worker/payloads/codecs/encryption/payload-encryption.js';
import { seal } from '../../../src/worker/payloads/codecs/encryption/sealed-bytes.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { withPayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { withoutPayloadKeys } from '../../../src/worker/worker-environment.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const payload = (text: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(text)),
});
const may = Buffer.alloc(32, 5);
const nov = Buffer.alloc(32, 11);
const keys = new Map([
  ['may', may],
  ['nov', nov],
]);
const codec = (options: Partial<EncryptionOptions> = {}): EncryptionCodec =>
  new EncryptionCodec({ key: 'may', keys, requires: false, compresses: true, subjects: null, ...options });
const field = ({ metadata }: Payload, name: string): string => Buffer.from(metadata?.[name] ?? []).toString();

async function one(work: Promise<Payload[]>): Promise<Payload> {
  const [made] = await work;
  if (made === undefined) throw new Error('nothing was made');
  return made;
}

async function failure(of: Promise<unknown>): Promise<TactusError> {
  return of.then(
    () => Promise.reject(new Error('nothing failed')),
    (error: unknown) => error as TactusError,
  );
}

/** The same with another byte at this place. */
function changed({ metadata, data }: Payload, at: number): Payload {
  const bytes = Buffer.from(data ?? []);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return { metadata: { ...metadata }, data: bytes };
}

const owner = { type: 'workflow', namespace: 'default', workflowId: 'r1' } as const;

describe('an encrypted payload', () => {
  it('names its key alone, is another one each time, and comes back as a whole', async () => {
    const plain = {
      ...payload('Hyacinth'),
      metadata: { encoding: Buffer.from('a'), more: Buffer.from('b') },
    };
    const [first, second] = await codec().encode([plain, plain]);
    if (first === undefined || second === undefined) throw new Error('nothing was made');
    expect(field(first, 'encoding')).toBe('binary/tactus-encrypted');
    expect(field(first, 'encryption-key-id')).toBe('may');
    expect(Object.keys(first.metadata ?? {})).toHaveLength(2);
    const starts = [first, second].map(({ data }) =>
      Buffer.from(data ?? [])
        .subarray(2, 30)
        .toString('hex'),
    );
    expect(starts[0]).not.toBe(starts[1]);
    expect(Buffer.from(first.data ?? []).includes('Hyacinth')).toBe(false);
    const decoded = await one(codec({ key: 'nov' }).decode([first], owner));
    expect([field(decoded, 'encoding'), field(decoded, 'more')]).toEqual(['a', 'b']);
    expect(Buffer.from(decoded.data ?? []).toString()).toBe('"Hyacinth"');
  });

  it('is made smaller where that gains, and comes back', async () => {
    const size = async (text: string, compresses: boolean): Promise<number> => {
      const made = await one(codec({ compresses }).encode([payload(text)]));
      const decoded = await one(codec().decode([made]));
      expect(Buffer.from(decoded.data ?? []).toString()).toBe(JSON.stringify(text));
      return made.data?.length ?? 0;
    };
    const long = 'all the same '.repeat(10_000);
    expect(await size(long, true)).toBeLessThan(2_000);
    expect(await size(long, false)).toBeGreaterThan(long.length);
    // An overhead of 46 bytes, besides those of the message.
    expect(await size('short', true)).toBeLessThan(100);
  });

  it('is refused where a byte was changed, or the key that it names', async () => {
    const made = await one(codec().encode([payload('Hyacinth')]));
    // Version, kind of packing, salt, nonce, text, tag.
    for (const at of [0, 1, 5, 20, 33, -1]) {
      const { code, message } = await failure(codec().decode([changed(made, at)], owner));
      expect([at, code]).toEqual([at, 'codec_failed']);
      expect(message).toMatch(/^A payload of run r1 can't be decrypted with the key may: it /);
    }
    const renamed = { ...made, metadata: { ...made.metadata, 'encryption-key-id': Buffer.from('alias') } };
    const aliased = codec({ keys: new Map([['alias', may]]) });
    expect((await failure(aliased.decode([renamed]))).code).toBe('codec_failed');
    expect((await failure(codec().decode([{ ...made, data: Buffer.from([1, 0, 3]) }]))).code).toBe(
      'codec_failed',
    );
  });

  it('is refused where its key is unknown, or is another one', async () => {
    const made = await one(codec().encode([payload('a')]));
    const unknown = await failure(codec({ keys: new Map([['nov', nov]]) }).decode([made], owner));
    expect(unknown).toMatchObject({
      code: 'codec_failed',
      details: { encoding: 'binary/tactus-encrypted' },
    });
    expect(unknown.message).toBe(
      'A payload of run r1 is encrypted with the key "may", which is not among codec.encryption.keys (nov). Add this id there, with the variable that holds the key',
    );
    const other = await failure(codec({ keys: new Map([['may', nov]]) }).decode([made]));
    expect(other.message).toContain('codec.encryption.keys.may names another key');
  });

  it('is refused where it unpacks to more than there may be', async () => {
    const header = Buffer.from([1, 1]);
    const bound = Buffer.concat([Buffer.from('binary/tactus-encrypted\0'), header, Buffer.from('may')]);
    const bomb = deflateRawSync(Buffer.alloc(mostUnpackedBytes + 1));
    expect(bomb.length).toBeLessThan(100_000);
    const made = await one(codec().encode([payload('a')]));
    const data = Buffer.concat([header, seal(may, bomb, bound)]);
    const { code, message } = await failure(codec().decode([{ ...made, data }]));
    expect(code).toBe('codec_failed');
    expect(message).toContain('it unpacks to more than 64 MiB');
  });

  it('goes to a payload store as it is', async () => {
    const folder = temporaryFolder('payloads');
    const settings = { key: 'may', keys: { may: 'A' }, requires: false, compresses: false, subjects: null };
    const converter = await configuredCodecs(
      { ...noCodec, encryption: settings },
      { workingFolder: folder, namespace: 'default', env: { A: may.toString('hex') } },
    );
    const { payloadCodecs } = loadDataConverter(withPayloadStore(converter, new FilePayloadStore(folder)));
    let payloads = [payload('Hyacinth'.repeat(300_000))];
    for (const each of payloadCodecs) payloads = await each.encode(payloads);
    const [name = ''] = readdirSync(folder);
    const kept = readFileSync(join(folder, name));
    expect(kept.length).toBeGreaterThan(2_400_000);
    expect(kept.includes('Hyacinth')).toBe(false);
    for (const each of [...payloadCodecs].reverse()) payloads = await each.decode(payloads);
    expect(payloads[0]?.data?.length).toBe(2_400_002);
  });
});

it('a payload that is not encrypted passes, unless it is required', async () => {
  const plain = payload('a');
  expect(await codec().decode([plain])).toEqual([plain]);
  const { code, message } = await failure(codec({ requires: true }).decode([plain], owner));
  expect(code).toBe('codec_failed');
  expect(message).toContain('of run r1 isn\'t encrypted: its encoding is "json/plain"');
});

it('an application has the same codec by its own settings', async () => {
  const env = { KEY_MAY: may.toString('base64') };
  const settings = { key: 'may', keys: { may: 'KEY_MAY' } };
  const own = payloadEncryption(settings, env);
  expect((await one(own.decode(await codec().encode([payload('a')])))).data).toEqual(Buffer.from('"a"'));
  const strict = payloadEncryption({ ...settings, require: true }, env);
  expect((await failure(strict.decode([payload('a')]))).code).toBe('codec_failed');
  expect(() => payloadEncryption({ ...settings, key: 'nov' }, env)).toThrow('no variable for the key nov');
});

describe('keys', () => {
  const read = (text: string | undefined) => masterKeysOf({ keys: { may: 'KEY_MAY' } }, { KEY_MAY: text });

  it('are base64 or hexadecimal', () => {
    const key = Buffer.from([...Array(32).keys()].map((each) => each * 8 + 7));
    for (const text of ['base64', 'base64url', 'hex'] as const)
      expect(read(key.toString(text)).get('may')).toEqual(key);
  });

  it.each([
    '',
    Buffer.alloc(31, 9).toString('base64'),
    Buffer.alloc(33, 9).toString('base64'),
    Buffer.alloc(16, 9).toString('hex'),
    `${'A'.repeat(42)}!=`,
    'correct horse battery staple horse battery sta',
  ])('are 32 bytes: %j', (text) => {
    const code = text === '' ? 'missing_key' : 'config_invalid';
    expect(() => read(text)).toThrow(expect.objectContaining({ code }) as Error);
    expect(() => read(text)).toThrow(/^(?!.*(CQkJ|0909|AAAA|horse)).*KEY_MAY/);
  });

  it('are kept from the activities of procedures', () => {
    const encryption = { key: 'may', keys: { may: 'A' }, requires: false, compresses: true, subjects: null };
    const env = { A: '1', A_FILE: '2', B: '3' };
    expect(withoutPayloadKeys(env, { encryption })).toEqual({ B: '3' });
    expect(withoutPayloadKeys(env, noCodec)).toBe(env);
  });
});

describe('the setting', () => {
  const read = (encryption: unknown): CodecSettings =>
    codecOf([{ file: 'c.yml', config: { codec: { encryption } } as never }]);

  it('names keys by variables', () => {
    expect(read({ key: 'a-1', keys: { 'a-1': 'KEY_A' } })).toEqual({
      ...noCodec,
      encryption: { key: 'a-1', keys: { 'a-1': 'KEY_A' }, requires: false, compresses: true, subjects: null },
    });
    const subjects = { folder: 'keys', id: 'customer-*' };
    expect(read({ key: 'a', keys: { a: 'A' }, subjects }).encryption).toMatchObject({ subjects });
    expect(read({ key: 'a', keys: { a: 'A' }, require: true, compress: false }).encryption).toMatchObject({
      requires: true,
      compresses: false,
    });
  });

  it.each([
    [7, 'must be a table with key and keys'],
    [{ keys: { a: 'A' } }, 'encryption.key must be text'],
    [{ key: 'a' }, 'encryption.keys must be a table'],
    [{ key: 'a', keys: {} }, 'must name a variable for each key'],
    [{ key: 'b', keys: { a: 'A' } }, "encryption.key is b, which c.yml: codec.encryption.keys doesn't have"],
    [{ key: 'a b', keys: { 'a b': 'A' } }, 'an id that is none'],
    [{ key: 'a', keys: { a: may.toString('base64') } }, 'must be the name of an environment variable'],
    [{ key: 'a', keys: { a: `ab${'c'.repeat(62)}` } }, 'must be the name of an environment variable'],
    [{ key: 'a', keys: { a: 'A' }, require: 'yes' }, 'encryption.require must be true or false'],
    [{ key: 'a', keys: { a: 'A' }, algorithm: 'x' }, 'unknown field algorithm'],
    [{ key: 'a', keys: { a: 'A' }, subjects: 'keys' }, 'subjects must be a table with folder and id'],
    [{ key: 'a', keys: { a: 'A' }, subjects: { id: 'c-*' } }, 'subjects.folder must be text'],
    [
      { key: 'a', keys: { a: 'A' }, subjects: { folder: 'k', id: 'c-*/**' } },
      'the first / of the id of a run',
    ],
    [{ key: 'a', keys: { a: 'A' }, subjects: { folder: 'k', id: 'c', x: 1 } }, 'unknown field x'],
  ])('refuses %j', (encryption, problem) => {
    expect(() => read(encryption)).toThrow(problem);
    expect(() => read(encryption)).toThrow(/^(?!.*(BQUF|abcc))/);
  });
});
