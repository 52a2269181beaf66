import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

/** Two workers of one task queue, of which one has no key. */
let server: TestServer;
let provider: ProviderStandIn;
let keyed: CliFolder;
let keyless: CliFolder;
beforeAll(async () => {
  provider = await startProviderStandIn();
  server = await startDevServer();
  const env = { TEMPORAL_ADDRESS: server.env.address };
  // With an address of its own, no key would be needed.
  keyed = cliFolder({ ...env, OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  keyless = cliFolder(env);
  for (const folder of [keyed, keyless]) {
    folder.write('rows.tac', rows);
    folder.write(
      'one.tac',
      'writer = Agent { model = "openai/gpt-x" }\nfunction main() return writer("a").output end',
    );
    folder.write('local.tac', 'function main() return 1 end');
  }
});
afterAll(async () => {
  await server?.stop();
  await provider?.close();
});

const rows = `
writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
Procedure { function()
  local list, failed = {}, 0
  for i = 1, 200 do list[i] = i end
  Parallel.map(list, function(i)
    local ok, problem = pcall(writer, "row " .. i)
    if not ok then failed = failed + 1; state.problem = tostring(problem) end
  end)
  return { failed = failed, problem = state.problem }
end }`;

const needs = 'The model openai/gpt-x needs a key: set OPENAI_API_KEY (or OPENAI_API_KEY_FILE)';

it('a worker without a key spoils no row of a run that another worker has the key for', async () => {
  provider.reply(() => ({ text: 'written' }));
  const without = await keyless.worker();
  const withKey = await keyed.worker();
  try {
    const ended = await keyed.runHere(['run', 'rows.tac', '--id', 'rows', '--json', '--quiet']);
    expect(ended.json(), ended.stderr).toMatchObject({ status: 'completed', output: { failed: 0 } });
    expect(provider.requests).toHaveLength(200);
    const { events } = await server.client.workflow.getHandle('rows').fetchHistory();
    const attempts = (events ?? []).map((event) => event.activityTaskStartedEventAttributes?.attempt ?? 1);
    expect(Math.max(...attempts)).toBeGreaterThan(1);
  } finally {
    await Promise.all([without.stop(), withKey.stop()]);
  }
});

it('says what it lacks, keeps the run trying, and a worker with the key ends it', async () => {
  const before = provider.requests.length;
  const child = keyless.start(['worker']);
  let said = '';
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise((done) => child.on('close', done));
  try {
    await waitUntil(
      () => Promise.resolve(said.includes('wait for another worker of the task queue')),
      60_000,
    );
    expect(said).toMatch(/one\.tac, .*rows\.tac: The model openai\/gpt-x needs a key: set OPENAI_API_KEY/);
    expect(said).not.toContain('local.tac');
    await keyless.runHere(['start', 'one.tac', '--id', 'one']);
    const retrying = await waitUntil(async () => {
      const { retrying: list } = (await keyless.runHere(['status', 'one', '--json'])).json();
      return (list as JsonObject[])[0] ?? null;
    });
    expect(retrying['message']).toContain(`${needs}, on worker ${child.pid}@${hostname()}`);
    expect(retrying['message']).toMatch(/Any worker of the task queue may take the call, until 20\d\d-/);
    const withKey = await keyed.worker();
    try {
      const result = await keyed.runHere(['result', 'one', '--json']);
      expect(result.json()).toMatchObject({ status: 'completed', output: 'written' });
      expect(provider.requests).toHaveLength(before + 1);
    } finally {
      await withKey.stop();
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
});

it('refuses to start where it is told to have all keys, whatever lies beside a procedure', async () => {
  keyless.write('one.tac.yml', 'openai_api_key: sk-of-the-author\n');
  const refused = await keyless.runHere(['worker', '--require-keys']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(needs);
  expect(refused.stderr).toMatch(/one\.tac/);
  const withKey = await keyed.worker(['--require-keys']);
  await withKey.stop();
});

it('fails at once where it is the only worker of the embedded server', async () => {
  const folder = cliFolder();
  folder.write('late.tac', 'function main() return Agent.run{ prompt = "a", model = "openai/gpt-x" } end');
  folder.write('one.tac', keyless.read('one.tac'));
  try {
    const refused = await folder.runHere(['run', 'one.tac']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(needs);
    const failed = await folder.runHere(['run', 'late.tac', '--json']);
    expect(failed.code, failed.stderr).toBe(1);
    const { error } = failed.json() as { error: JsonObject };
    expect(error['message']).toMatch(/needs a key: set OPENAI_API_KEY.*, on worker \d+@/);
  } finally {
    await folder.close();
  }
});
