import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { existsSync, rmSync } from 'node:fs';
import type { RunView } from '../../../src/contract/runs/run-view.js';
import { openStorage } from '../../../src/client/storage/open-storage.js';
import { awsCredentials } from '../../support/aws-credentials.js';
import { cliFolder, type CliFolder, type WorkerCommand } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let provider: ProviderStandIn;

beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write(
    'clock.tac',
    [
      'Procedure {',
      '  output = { late = field.boolean{} },',
      '  function(input)',
      '    local now = os.time()',
      '    return { late = now > 0 }',
      '  end,',
      '}',
      'Specification([[',
      'Feature: Clock',
      '  Scenario: Tells the time',
      '    When the procedure runs',
      '    Then the output late should be true',
      ']])',
    ].join('\n'),
  );
});
afterAll(async () => {
  await folder?.close();
  await provider?.close();
});
beforeEach(() => rmSync(join(folder.path, 'clock.tac.yml'), { force: true }));

const refused = /^clock\.tac:4: strict_determinism refuses os\.time\(\) outside of a checkpoint/;

describe('a configuration that is wrong', () => {
  it('is refused with nothing started', async () => {
    folder.write('clock.tac.yml', 'strict_determinism: maybe\n');
    const ended = await folder.runHere(['run', 'clock.tac', '--json']);
    expect(ended.code).toBe(2);
    expect(ended.json()).toMatchObject({
      error: {
        code: 'config_invalid',
        message: 'clock.tac.yml: strict_determinism must be true or false, got "maybe"',
        file: 'clock.tac.yml',
      },
    });
    expect(existsSync(join(folder.path, '.tactus-temporal'))).toBe(false);
  });
});

describe('time outside of a checkpoint', () => {
  let worker: WorkerCommand;
  /** Named, the server is somebody else's: a command brings no worker of its own, which would take seconds. */
  let there: string[];

  beforeAll(async () => {
    const started = await folder.runHere(['server', 'start', '--json']);
    there = ['--address', started.json()['address'] as string];
    worker = await folder.worker();
  });
  afterAll(() => worker?.stop());

  it('is warned about, in a box, and in the document', async () => {
    const ended = await folder.runHere(['run', 'clock.tac', '--json', ...there]);
    expect(ended.code).toBe(0);
    const { output, warnings, run_id: runId } = ended.json() as unknown as RunView;
    expect(output).toEqual({ late: true });
    expect(warnings).toMatchObject([{ code: 'non_deterministic', file: 'clock.tac', line: 4 }]);
    expect(ended.stderr).toContain('DETERMINISM WARNING: os.time() called outside checkpoint\n');
    expect(ended.stderr).toContain('  >     4 |     local now = os.time()\n');
    const status = await folder.runHere(['status', runId, ...there]);
    expect(status.stdout).toContain('warning non_deterministic at clock.tac:4');
  });

  it('is said once, however often somebody looks', async () => {
    await folder.runHere(['run', 'clock.tac', '--id', 'twice', ...there]);
    const again = await folder.runHere(['resume', 'twice', ...there]);
    expect(again.code).toBe(0);
    expect(again.stderr).not.toContain('DETERMINISM WARNING');
  });

  it.each([
    ['the file beside it', 'strict_determinism: true\n', []],
    ['a flag', '', ['--strict-determinism']],
    ['a flag, for short, over the file', 'strict_determinism: false\n', ['--strict']],
  ])('fails the run by %s', async (_, config, flags) => {
    if (config !== '') folder.write('clock.tac.yml', config);
    const ended = await folder.runHere(['run', 'clock.tac', '--json', ...flags, ...there]);
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({
      status: 'failed',
      error: {
        code: 'non_deterministic',
        message: expect.stringMatching(refused) as string,
        file: 'clock.tac',
        line: 4,
      },
    });
  });

  it('is allowed again by a flag', async () => {
    folder.write('clock.tac.yml', 'strict_determinism: true\n');
    expect((await folder.runHere(['run', 'clock.tac', '--no-strict-determinism', ...there])).code).toBe(0);
  });

  it('fails runs that the run starts', async () => {
    folder.write('caller.tac', 'Procedure { function()\n  return Procedure.run("clock.tac", {})\nend }');
    folder.write('caller.tac.yml', 'strict_determinism: true\n');
    const ended = await folder.runHere(['run', 'caller.tac', '--json', ...there]);
    expect(ended.json()).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('strict_determinism refuses') as string },
    });
  });

  it('fails scenarios, and is an error of validate', async () => {
    expect((await folder.runHere(['test', 'clock.tac'])).code).toBe(0);
    folder.write('clock.tac.yml', 'strict_determinism: true\n');
    expect((await folder.runHere(['test', 'clock.tac'])).code).toBe(1);
    const validated = await folder.runHere(['validate', 'clock.tac', '--json']);
    expect(validated.json()).toMatchObject({
      diagnostics: [{ severity: 'error', code: 'non_deterministic', line: 4 }],
    });
  });
});

describe('keys and models', () => {
  const key = 'sk-from-a-file';

  it('come from .tactus/config.yml, and the key stands in no log', async () => {
    folder.write('.tactus/config.yml', `openai_api_key: ${key}\ndefault_model: openai/from-a-file\n`);
    folder.write(
      'ask.tac',
      'writer = Agent { system_prompt = "Write" }\nProcedure { function() return writer({message = "Hi"}).output end }',
    );
    provider.reply({ text: 'Hello' });
    const ended = await folder.runHere(['run', 'ask.tac', '--id', 'asked', '--json']);
    expect(ended.json()).toMatchObject({ status: 'completed', output: 'Hello' });
    const [request] = provider.requests.slice(-1);
    expect(request?.headers.authorization).toBe(`Bearer ${key}`);
    expect(request?.body['model']).toBe('from-a-file');
    const log = await folder.runHere(['log', 'asked', '--json']);
    expect(log.stdout).toContain('from-a-file');
    expect(log.stdout).not.toContain(key);
  });

  it('are told by doctor, without their values', async () => {
    const { stdout } = await folder.runHere(['doctor']);
    expect(stdout).toMatch(/✓ configuration +\.tactus\/config\.yml/);
    expect(stdout).toMatch(/✓ keys +OPENAI_API_KEY set/);
    expect(stdout).not.toContain(key);
  });

  it('tells settings without an effect, once', async () => {
    folder.write('clock.tac.yml', 'mcp_servers: {}\n');
    const { stderr } = await folder.runHere(['run', 'clock.tac']);
    expect(stderr.split('clock.tac.yml: mcp_servers has no effect here')).toHaveLength(2);
  });
});

describe('the storage that runs are mirrored to', () => {
  it('is the database that the configuration names, or the environment', async () => {
    folder.write('.tactus/config.yml', 'storage: sqlite:mirrored.sqlite\n');
    const named = await folder.runHere(['run', 'clock.tac', '--id', 'named', '--json']);
    expect(named.code, named.stderr).toBe(0);
    const env = { TACTUS_TEMPORAL_STORAGE: `file:${join(folder.path, 'mirrored')}` };
    const other = await folder.runHere(['run', 'clock.tac', '--id', 'other', '--json'], { env });
    expect(other.code, other.stderr).toBe(0);
    rmSync(join(folder.path, '.tactus/config.yml'));
    for (const [place, id] of [
      ['sqlite:mirrored.sqlite', 'named'],
      ['file:mirrored', 'other'],
    ] as const) {
      const [kind, path] = place.split(':');
      const storage = await openStorage(`${kind}:${join(folder.path, path ?? '')}`);
      expect(await storage.listCheckpoints({ status: 'COMPLETED' })).toEqual([id]);
      await storage.close?.();
    }
  });

  it('is refused with nothing started where it is none, and its address is not told', async () => {
    folder.write('clock.tac.yml', 'storage: mysql://user:secret@host/db\n');
    const ended = await folder.runHere(['run', 'clock.tac', '--json']);
    expect(ended.code).toBe(2);
    const message = `clock.tac.yml: storage must begin with one of file:, sqlite:, postgres:, postgresql:, redis:, rediss:, dynamodb:, s3:, lambda:, cosmos:, firestore:`;
    expect(ended.json()).toMatchObject({ error: { code: 'config_invalid', message } });
    expect(ended.stdout + ended.stderr).not.toContain('secret');
  });

  it('is refused with nothing started where it takes no writing', async () => {
    const env = { TACTUS_TEMPORAL_STORAGE: 'lambda:orders?region=eu-west-1' };
    const ended = await folder.runHere(['run', 'clock.tac', '--json'], { env });
    expect(ended.json()).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining("can't be in Lambda") as string },
    });
    expect(ended.code).toBe(2);
  });

  it.each(['redis://127.0.0.1:9', 's3://bucket/runs?region=eu-west-1&endpoint=http://127.0.0.1:9'])(
    'is told where nothing answers at %s, and the run goes on',
    async (place) => {
      const env = { TACTUS_TEMPORAL_STORAGE: place, ...awsCredentials };
      const ended = await folder.runHere(['run', 'clock.tac', '--json'], { env });
      expect(ended.code).toBe(0);
      expect(ended.stderr.match(/storage or index: .*127\.0\.0\.1:9/g)).toHaveLength(1);
    },
  );
});

it('whom its worker may ask is what the configuration says', async () => {
  const ask = `Procedure { function() return http_client.get("${provider.url}/a").status end }`;
  folder.write('ask.tac', ask);
  provider.reply({ status: 200, body: {} });
  folder.write('.tactus/config.yml', 'egress: {profile: production, allow: ["127.0.0.1"]}\n');
  const open = await folder.runHere(['run', 'ask.tac', '--json']);
  expect(open.code, open.stderr).toBe(0);
  folder.write('.tactus/config.yml', 'egress: {profile: production}\n');
  const shut = await folder.runHere(['run', 'ask.tac', '--json']);
  rmSync(join(folder.path, '.tactus/config.yml'));
  expect(shut.json()).toMatchObject({ error: { code: 'egress_denied', file: 'ask.tac', line: 1 } });
  expect(provider.requests.filter(({ path }) => path === '/a')).toHaveLength(1);
});
