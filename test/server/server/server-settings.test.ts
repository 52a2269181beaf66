import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { accessOf, hashOfToken } from '../../../src/server/access/access-of.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { startServer } from '../../../src/server/server.js';
import { Webhooks } from '../../../src/server/events/webhooks/webhooks.js';
import { trusting } from '../../support/api-server.js';

const [issuer, audience] = ['https://id.example.org', 'tactus'];
const hash = (text: string): string => `sha256:${hashOfToken(text).toString('hex')}`;

describe('what is configured wrongly', () => {
  const settings = (server: JsonObject) => () => readServerSettings(server);
  const access =
    (given: JsonObject, served = ['default'], isEmbedded = false) =>
    () =>
      accessOf(readServerSettings(given), { env: { SHORT: 'x' }, served, isEmbedded });

  it('is refused with nothing served', async () => {
    expect(settings({ odd: 1 })).toThrow(/server\.odd: there is no such setting/);
    expect(settings({ tokens: [{ name: 'a', hash: 'plain-secret' }] })).toThrow(
      /server\.tokens\.0\.hash: must be sha256/,
    );
    expect(settings({ tokens: [{ name: 'a' }] })).toThrow(/needs either hash or secret/);
    expect(access({})).toThrow(/server\.tokens or server\.jwt/);
    expect(access({}, ['default'], true)).not.toThrow();
    expect(access({ tokens: [{ name: 'a', secret: 'MISSING' }] })).toThrow(/MISSING/);
    expect(access({ tokens: [{ name: 'a', secret: 'SHORT' }] })).toThrow(/fewer than/);
    expect(access({ tokens: [{ name: 'a', hash: hash('x') }] }, ['a', 'b'])).toThrow(
      /which of the namespaces/,
    );
    expect(access({ tokens: [{ name: 'a', hash: hash('x'), namespaces: ['c'] }] }, ['a', 'b'])).toThrow(
      /isn't served/,
    );
    expect(access({ jwt: { issuer, audience } }, ['a', 'b'])).toThrow(/server\.jwt\.namespaces/);
    for (const host of ['0.0.0.0', '::', '192.0.2.1'])
      await expect(
        startServer({
          ...{ host, port: 0, access: trusting(), streams: null, version: '0', hosts: [], origins: [] },
          ...{
            namespaces: [],
            procedures: { list: never, find: never, publishedOptions: never },
            perMinute: 1,
            mostStreams: 1,
          },
          ...{ uploadBytes: 1, publicUrl: null, pages: null, webhooks: new Webhooks(new Map()), links: null },
          onTrouble: () => undefined,
        }),
      ).rejects.toThrow(/could decide in anybody's name/);
  });
});

const never = (): Promise<never> => Promise.reject(new Error('never asked'));
