import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { accessOf } from '../../../src/server/access/access-of.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { startApi, unindexed } from '../../support/api-server.js';
import { procedureOf } from '../../support/procedure-source.js';
import { schemathesisPaths, type SchemathesisPaths } from '../../support/schemathesis-paths.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';

const schemathesis = schemathesisPaths();
const required = process.env['SCHEMATHESIS_TEST'] === 'required';
if (schemathesis === null)
  console.warn('SKIPPED: nobody tries the HTTP API with made-up requests; `npm test` says why.');

/** What of the document isn't tried: streams don't end by themselves. */
const withoutEnd = ['followNamespace', 'followRun'];
const seconds = 20;
/** What has the right shape may mean nothing all the same. 431: Node's own word on what is too long for a path. */
const configuration = `
[parameters]
"path.namespace" = "default"

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 429, 431]

[checks.positive_data_acceptance]
expected-statuses = ["2xx", 400, 401, 403, 404, 409, 413, 422]
`;
const server = serverWithWorker(startDevServer);

describe.skipIf(schemathesis === null && !required)('the OpenAPI document', () => {
  it('is what the server does, whatever it is sent', { timeout: 120_000 }, async () => {
    expect(schemathesis, 'the set-up got no schemathesis').not.toBeNull();
    const folder = temporaryFolder('api-openapi');
    writeFileSync(join(folder, 'review.tac'), 'Procedure { function() return Human.approve("go on?") end }');
    const { tactus } = server;
    await tactus.start(procedureOf('return Human.input("say")'), {}, { runId: 'review-7' });
    await tactus.start(procedureOf('return 7'), {}, { runId: 'done' });
    const token = 'the-token-of-who-makes-up-requests';
    const settings = readServerSettings({ tokens: [{ name: 'ann', secret: 'TOKEN' }] });
    const access = accessOf(settings, { env: { TOKEN: token }, served: ['default'], isEmbedded: false });
    const files = new FilePayloadStore(join(folder, 'payloads'));
    const api = await startApi(tactus, folder, {
      access,
      namespaces: [{ name: 'default', tactus, files, signingKey: null, ...unindexed }],
    });
    const { body } = await api.get('/openapi.json');
    expect(Object.keys(body['paths'] as JsonObject).length).toBeGreaterThan(20);
    const { code, said } = await tryOut(
      schemathesis as SchemathesisPaths,
      `${api.url}/api/v1/openapi.json`,
      token,
      folder,
    );
    expect(code, said).toBe(0);
    expect(said).toMatch(/Tested: +\d\d/);
    expect(api.troubles).toEqual([]);
    await api.close();
  });
});

function tryOut(
  { python, packages }: SchemathesisPaths,
  document: string,
  token: string,
  folder: string,
): Promise<{ code: number | null; said: string }> {
  writeFileSync(join(folder, 'schemathesis.toml'), configuration);
  const left = withoutEnd.flatMap((id) => ['--exclude-operation-id', id]);
  const bounds = [
    '--seed',
    '7',
    '--max-examples',
    '20',
    '--max-time',
    String(seconds),
    '--request-timeout',
    '15',
  ];
  const args = ['-m', 'schemathesis.cli', 'run', document, ...left, ...bounds, '--no-color'];
  const child = spawn(python, [...args, '--header', `Authorization: Bearer ${token}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}
