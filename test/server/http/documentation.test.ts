import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { accessOf } from '../../../src/server/access/access-of.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { webhooksOf } from '../../../src/server/events/webhooks/webhooks.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { startApi, unindexed, type ApiServer } from '../../support/api-server.js';
import { codeBlocks } from '../../support/code-blocks.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const page = 'docs/http-api.md';
const env = {
  ANNS_TOKEN: 'the-token-of-ann-in-the-documents',
  PAYMENTS_SECRET: 'shared-with-payments-alone',
  DESK_TOKEN: 'x'.repeat(30),
};
const server = serverWithWorker(startDevServer);
let api: ApiServer;

/** What is configured on the page, with a token whose hash isn't cut. */
const configured = codeBlocks(page, 'yaml').map((text) => (parse(text) as { server: JsonObject }).server);

beforeAll(async () => {
  const folder = temporaryFolder('api-docs');
  writeFileSync(
    join(folder, 'review.tac'),
    `Procedure { input = { topic = field.string{} }, function(input)
       return Human.approve("Publish " .. input.topic .. "?")
     end }`,
  );
  const [, { webhooks } = {}] = configured;
  const settings = readServerSettings({
    tokens: [{ name: 'ann', secret: 'ANNS_TOKEN' }],
    webhooks: webhooks ?? {},
  });
  const served = ['default'];
  api = await startApi(server.tactus, folder, {
    access: accessOf(settings, { env, served, isEmbedded: false }),
    webhooks: webhooksOf(settings, { env, served }),
    namespaces: [
      {
        name: 'default',
        tactus: server.tactus,
        files: new FilePayloadStore(join(folder, 'payloads')),
        signingKey: null,
        ...unindexed,
      },
    ],
  });
  await server.tactus.start(
    procedureOf('return { Event.wait("shipped"), Event.wait("paid") }'),
    {},
    { runId: 'order-7' },
  );
});
afterAll(() => api.close());

it('is configured as the page says', () => {
  const [access = {}] = configured;
  const tokens = (access['tokens'] as JsonObject[]).map((token) =>
    'hash' in token ? { ...token, hash: `sha256:${'0'.repeat(64)}` } : token,
  );
  const settings = readServerSettings({ ...access, tokens });
  const { authenticators } = accessOf(settings, { env, served: ['default'], isEmbedded: false });
  expect(authenticators.map(({ mode }) => mode)).toEqual(['token', 'jwt']);
});

it('answers as the page says', async () => {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8');
  const commands = Array.from(text.matchAll(/```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?/gs));
  expect(commands).toHaveLength(8);
  for (const [, command = '', answer] of commands) {
    // A request that is looked for has been asked by now.
    if (command.includes('/requests?'))
      await waitUntil(async () => (await server.tactus.attach('tea').pending()).length === 1);
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], {
      env: {
        PATH: process.env['PATH'],
        URL: api.url,
        TOKEN: env.ANNS_TOKEN,
        PAYMENTS_SECRET: env.PAYMENTS_SECRET,
      },
      timeout: 20_000,
    });
    if (answer === undefined) expect(stdout).toContain('event: end');
    else expect(JSON.parse(stdout)).toMatchObject(JSON.parse(answer) as JsonObject);
  }
  expect(await server.tactus.attach('tea').result()).toBe(true);
  expect(await server.tactus.attach('order-7').result()).toEqual([{ by: 'post' }, { order: 7 }]);
});
