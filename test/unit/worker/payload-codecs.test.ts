// cspell:ignore modul geheim eins Nvbi Fpbg
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { afterEach, describe, expect, it } from 'vitest';
import { noCodec, type CodecSettings } from '../../../src/contract/payloads/codec-settings.js';
import type { TactusError } from '../../../src/contract/errors.js';
import { codecOf } from '../../../src/configuration/worker-settings.js';
import { encodes } from '../../../src/client/payloads/has-payload-store.js';
import { configuredCodecs } from '../../../src/worker/payloads/codecs/configured-codecs.js';
import { loadCodecModule } from '../../../src/worker/payloads/codecs/load-codec-module.js';
import { RemoteCodec, type RemoteCodecOptions } from '../../../src/worker/payloads/codecs/remote-codec.js';
import { aesCodec } from '../../support/aes-codec.js';
import { codecServer, type CodecServer } from '../../support/codec-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const payload = (text: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(text)),
});
const owner = { type: 'workflow', namespace: 'billing', workflowId: 'r1' } as const;

async function failure(of: Promise<unknown>): Promise<TactusError> {
  return of.then(
    () => Promise.reject(new Error('nothing failed')),
    (error: unknown) => error as TactusError,
  );
}

describe('the setting', () => {
  const read = (codec: unknown): CodecSettings => codecOf([{ file: 'c.yml', config: { codec } as never }]);

  it('takes a module or a codec server, and the last file counts', () => {
    expect(codecOf([])).toEqual(noCodec);
    expect(read({ module: './codec.mjs', encode_failures: false })).toEqual({
      ...noCodec,
      module: './codec.mjs',
      encodesFailures: false,
    });
    const endpoint = 'https://codec.example.com/{namespace}';
    const both = [{ module: 'a.mjs' }, { endpoint, headers: { 'x-team': 7 } }];
    expect(codecOf(both.map((codec) => ({ file: 'c.yml', config: { codec } as never })))).toEqual({
      ...noCodec,
      endpoint,
      headers: { 'x-team': '7' },
    });
  });

  it.each([
    ['./codec.mjs', 'must be a table with module, endpoint or encryption'],
    [{}, 'must have one of module, endpoint and encryption'],
    [{ module: 'a', endpoint: 'http://b' }, 'must have one of module, endpoint and encryption'],
    [{ module: 'a', encryption: {} }, 'must have one of module, endpoint and encryption'],
    [{ modul: 'a' }, 'unknown field modul'],
    [{ module: 7 }, 'codec.module must be text'],
    [{ module: 'a', headers: {} }, 'need an endpoint'],
    [{ module: 'a', encode_failures: 'no' }, 'encode_failures must be true or false'],
    [{ endpoint: 'ftp://codec' }, 'must be an address that begins with http://'],
    [{ endpoint: 'codec:8080' }, 'must be an address that begins with http://'],
    [{ endpoint: 'http://b', headers: { 'x\n': 'a' } }, 'no HTTP header can have'],
  ])('refuses %j', (codec, problem) => {
    expect(() => read(codec)).toThrow(problem);
  });

  it('tells no password of an address', () => {
    for (const endpoint of ['ann:geheim@codec', 'codec?key=geheim', 'codec/{namespace}#geheim'])
      expect(() => read({ endpoint: `https://${endpoint}` })).toThrow(/^(?!.*geheim).*TEMPORAL_CODEC_AUTH/);
  });
});

describe('a module', () => {
  const folder = temporaryFolder('codecs');
  let count = 0;
  const of = (source: string) => {
    const name = `m${(count += 1)}.mjs`;
    writeFileSync(join(folder, name), source);
    return loadCodecModule(name, folder);
  };
  const one = '{ encode: async (p) => p, decode: async (p) => p }';

  it.each([
    [`export const codec = ${one}`, 1],
    [`export default ${one}`, 1],
    [`const a = ${one}; export { a, a as b, a as default }`, 1],
    [`export const payloadCodecs = [${one}, ${one}]`, 2],
    [`export default [${one}]`, 1],
    [`export const payloadCodecs = ${one}; export const other = ${one}`, 1],
    [`export const dataConverter = { payloadCodecs: [${one}, ${one}] }`, 2],
    [`export default { payloadCodecs: [${one}] }`, 1],
    ['export class C { async encode(p) { return p } async decode(p) { return p } }', 1],
  ])('is read: %s', async (source, length) => {
    expect(await of(source)).toHaveLength(length);
  });

  it.each([
    ['export const a = 1', 'exports no payload codec'],
    [`export const a = ${one}; export const b = ${one}`, 'exports several payload codecs'],
    ['export const payloadCodecs = []', 'no list of payload codecs'],
    ['export const payloadCodecs = [1]', 'no list of payload codecs'],
    [`export const dataConverter = { payloadConverterPath: 'x', payloadCodecs: [${one}] }`, 'TactusPlugin'],
    [
      `export const dataConverter = { failureConverterPath: 'x', payloadCodecs: [${one}] }`,
      'encode_failures',
    ],
    ['export class C { constructor(key) {} encode() {} decode() {} }', 'exports no payload codec'],
    ['export const = 1', "can't be loaded"],
    ['throw new Error("no key")', "can't be loaded: no key"],
  ])('is refused: %s', async (source, problem) => {
    const { code, message } = await failure(of(source));
    expect(code).toBe('config_invalid');
    expect(message).toContain(problem);
  });

  it('is named where it fails, and where it gives back something else', async () => {
    const named = async (source: string) => {
      const name = `n${(count += 1)}.mjs`;
      writeFileSync(join(folder, name), source);
      const place = { workingFolder: folder, namespace: 'default', env: {} };
      const { payloadCodecs = [] } = await configuredCodecs({ ...noCodec, module: name }, place);
      expect(payloadCodecs.map(encodes)).toEqual([false, true]);
      return payloadCodecs;
    };
    const [check, broken] = await named(
      'export const c = { encode: async (p) => p.slice(1), decode: async () => { throw new Error("bad tag") } }',
    );
    const wrong = await failure(broken?.decode([payload('a')], owner) ?? Promise.resolve());
    expect(wrong.code).toBe('codec_failed');
    expect(wrong.message).toMatch(
      /^codec\.module n\d+\.mjs can't decode a payload of run r1: bad tag\. Does it have/,
    );
    const short = await failure(broken?.encode([payload('a')]) ?? Promise.resolve());
    expect(short.message).toContain('must give a list of 1');
    const left = { metadata: { encoding: Buffer.from('binary/theirs') }, data: Buffer.from('x') };
    const undecoded = await failure(check?.decode([payload('a'), left], owner) ?? Promise.resolve());
    expect(undecoded).toMatchObject({ code: 'codec_failed', details: { encoding: 'binary/theirs' } });
    expect(undecoded.message).toMatch(/of run r1 has the encoding "binary\/theirs", and codec\.module/);
  });
});

describe('a codec server', () => {
  let server: CodecServer;
  afterEach(() => server.close());
  const begin = async (more: Partial<RemoteCodecOptions> = {}): Promise<RemoteCodec> => {
    server = await codecServer(aesCodec(Buffer.alloc(32, 1)));
    const endpoint = `${server.url}/{namespace}/`;
    return new RemoteCodec({
      endpoint,
      headers: { 'x-a': 'b' },
      authorization: 'Bearer x',
      namespace: 'own',
      ...more,
    });
  };

  it('has one time for all attempts: where it is silent, a workflow task is not lost', async () => {
    const codec = await begin({ longestMs: 400 });
    server.next.push({ status: 500, body: '' }, { status: 0, body: '' });
    const { code, message } = await failure(codec.decode([payload('a')]));
    expect(code).toBe('server_unreachable');
    expect(message).toMatch(/does not decode payloads: no answer within 0\.[01]\d* s; asked 2 times\./);
    expect(server.asked).toHaveLength(2);
  });

  it('encodes and decodes, of the namespace that a payload belongs to', async () => {
    const codec = await begin();
    const plain = [payload('eins'), { metadata: { encoding: Buffer.from('binary/null') } }, payload('')];
    const encoded = await codec.encode(plain, owner);
    expect(Buffer.from(encoded[0]?.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
    const decoded = await codec.decode(encoded);
    const text = ({ metadata, data }: Payload) => [
      Buffer.from(metadata?.['encoding'] ?? []).toString(),
      Buffer.from(data ?? []).toString(),
    ];
    expect(decoded.map(text)).toEqual(plain.map(text));
    expect(server.asked.map(({ path }) => path)).toEqual(['/billing/encode', '/own/decode']);
    expect(server.asked[0]?.headers).toMatchObject({
      ...{ 'x-namespace': 'billing', 'x-a': 'b', authorization: 'Bearer x' },
    });
    expect(await codec.decode([])).toEqual([]);
    expect(server.asked).toHaveLength(2);
  });

  it('is asked again where it is busy, and given up in the end', async () => {
    const codec = await begin();
    server.next.push({ status: 503, body: 'warming up' }, { status: 429, body: '' });
    expect(await codec.encode([payload('a')])).toHaveLength(1);
    server.next.push(...Array.from({ length: 3 }, () => ({ status: 500, body: 'out of\n order' })));
    const error = await failure(codec.decode([payload('a')]));
    expect(error.code).toBe('server_unreachable');
    expect(error.message).toContain('does not decode payloads: it answers 500: out of order; asked 3 times');
  });

  it.each([
    [400, 'not mine', 'answers 400: not mine'],
    [302, '', 'answers 302'],
    [403, '', 'refuses (403). Set its Authorization header by TEMPORAL_CODEC_AUTH'],
    [200, '<html>', 'something that is no JSON: <html>'],
    [200, '{"payloads":[]}', 'without the 1 payloads'],
    [200, '{"payloads":[{"data":7}]}', 'without the 1 payloads'],
    [200, '{"payloads":[{"metadata":{"encoding":7}}]}', 'without the 1 payloads'],
    [200, '{"payloads":[{}]}', 'without the 1 payloads'],
    [
      200,
      '{"payloads":[{"metadata":{"encoding":"anNvbi9wbGFpbg=="},"data":"!!"}]}',
      'without the 1 payloads',
    ],
    [200, '{"payloads":[{"metadata":{"encoding":"json/plain!"},"data":"IngI"}]}', 'without the 1 payloads'],
    [200, 'null', 'without the 1 payloads'],
  ])('is believed in nothing else: %i %s', async (status, body, problem) => {
    const codec = await begin();
    server.next.push({ status, body });
    const error = await failure(codec.decode([payload('a')]));
    expect(error.code).toBe('codec_failed');
    expect(error.message).toContain(problem);
    expect(server.asked).toHaveLength(1);
  });

  it('fills no memory, and is asked as the egress policy lets it be', async () => {
    const codec = await begin();
    server.next.push({ status: 200, body: ' '.repeat(65 * 1024 * 1024) });
    expect((await failure(codec.decode([payload('a')]))).message).toContain('an answer that is too large');
    const denied = new RemoteCodec({
      ...{ endpoint: server.url, headers: {}, authorization: null, namespace: 'own' },
      egressPolicy: { deny: ['127.0.0.1'] },
    });
    expect(await failure(denied.encode([payload('a')]))).toMatchObject({ code: 'egress_denied' });
  });
});
