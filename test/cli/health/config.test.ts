import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder } from '../../support/cli-folder.js';

/** What somebody wrote, the line of it that is wrong, and what the advice must have. */
const inFiles: [what: string, yaml: string, line: number, setting: string, advice: string][] = [
  ['a tab', 'server:\n\tport: 1', 2, '', 'YAML'],
  ['a name twice', 'retries: 1\nretries: 2', 2, '', 'YAML'],
  ['a list', '- retries', 0, '', 'YAML'],
  ['a misspelt setting', 'budget: {cost: 1}\ndefualt_model: a', 2, 'defualt_model', 'default_model: '],
  ['a number that is text', 'retries: many', 1, 'retries', 'retries: 4'],
  ['a time without a unit', '\nrequest_timeout: soon', 2, 'request_timeout', '60s'],
  ['a switch that is text', 'strict_determinism: "on"', 1, 'strict_determinism', 'true'],
  ['a budget of nothing known', 'budget: {dollars: 3}', 1, 'budget.dollars', 'budget: {'],
  ['a price without output', 'prices:\n  a: {input: 1, output: 1}\n  b: {input: 1}', 3, 'prices.b', 'output'],
  ['a storage that is none', 'storage: mysql://db/runs', 1, 'storage', 'sqlite:'],
  ['an index that is none', 'index: mysql://db/runs', 1, 'index', 'runs.sqlite'],
  ['a size without a unit', 'model_memory: "4"', 1, 'model_memory', '4GB'],
  ['a port that is none', 'server:\n  host: 127.0.0.1\n  port: 99999', 3, 'server.port', '8700'],
  ['a time without an end', 'server: {drain_delay: forever}', 1, 'server.drain_delay', '5s'],
  ['a table that is text', 'worker: fast', 1, 'worker', 'worker: {'],
  ['a setting of serve that is none', 'server:\n  prot: 1', 2, 'server.prot', 'server: {port'],
  ['an origin that is none', 'server: {origins: [here]}', 1, 'server.origins.0', 'https://'],
  [
    'a token in the clear',
    'server:\n  tokens:\n    - name: ann\n      hash: abc',
    4,
    'server.tokens.0.hash',
    'serve token',
  ],
  ['a health address', 'worker:\n  health: "here"', 2, 'worker.health', '0.0.0.0:8701'],
  ['a cache of two sizes', 'worker: {cached_runs: 5, cache_memory: 1GB}', 1, 'worker', 'worker: {'],
  ['a build without its deployment', 'worker: {build_id: a1}', 1, 'worker', 'worker: {'],
  ['slots below one', 'worker:\n  activities: 0', 2, 'worker.activities', 'activities: 100'],
  ['a codec of both kinds', 'codec: {module: codec.mjs, endpoint: http://b}', 1, 'codec', 'module'],
  ['a channel of no kind', 'channels:\n  ops: {pager: {url: A}}', 2, 'channels.ops', 'slack'],
  [
    'a secret in place of its name',
    'webhook_hosts: {hooks.example.com: "s3cret!"}',
    1,
    'webhook_hosts.hooks.example.com',
    'HOOK_SECRET',
  ],
  [
    'a link without a key',
    'authority:\n  links: {key: main, secret: PRESENT}',
    2,
    'authority.links.key',
    'key: main',
  ],
  ['a rule of egress', 'egress: {allow: ["http://a b"]}', 1, 'egress.allow', 'profile'],
  [
    'a queue without a name',
    'model_queues: {openai: {per_second: 1}}',
    1,
    'model_queues.openai',
    'task_queue',
  ],
  [
    'a rate that is none, of a tool',
    'tool_queues:\n  crm.*: {task_queue: crm, per_second: 0}',
    2,
    'tool_queues.crm.*.per_second',
    'per_second',
  ],
  ['a group that is text', 'groups: {ops: ann}', 1, 'groups', 'groups: {'],
  [
    'a secret that is not there',
    'server: {tokens: [{name: a, secret: NOT_SET_HERE}]}',
    1,
    'server.tokens.0.secret',
    'set NOT_SET_HERE',
  ],
  [
    'a key of payloads that is not there',
    'codec:\n  encryption:\n    key: k\n    keys: {k: NOT_SET_HERE}',
    4,
    'codec.encryption.keys.k',
    'NOT_SET_HERE',
  ],
  [
    'a key of payloads without a name',
    'codec: {encryption: {key: other, keys: {k: PRESENT}}}',
    1,
    'codec.encryption.key',
    'encryption: {',
  ],
  ['a module that is not there', 'tool_modules: [gone.mjs]', 1, 'tool_modules.0', 'gone.mjs'],
  ['a folder that is not there', 'server: {procedures: [gone]}', 1, 'server.procedures.0', 'mkdir gone'],
];

const inEnvironment: [what: string, env: Record<string, string>, setting: string, advice: string][] = [
  [
    'a protocol of traces that is not spoken',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'traces.md',
  ],
  [
    'a receiver of traces that is no address',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'traces.md',
  ],
  [
    'a misspelt variable',
    { TACTUS_TEMPORAL_STORGE: 'x' },
    'TACTUS_TEMPORAL_STORGE',
    'TACTUS_TEMPORAL_STORAGE=sqlite:',
  ],
  ['a storage', { TACTUS_TEMPORAL_STORAGE: 'mysql:a' }, 'TACTUS_TEMPORAL_STORAGE', 'sqlite:'],
  ['a bucket', { TACTUS_TEMPORAL_PAYLOADS: 's3://my bucket/x' }, 'TACTUS_TEMPORAL_PAYLOADS', '=payloads'],
  ['a health address', { TACTUS_TEMPORAL_HEALTH: 'here' }, 'TACTUS_TEMPORAL_HEALTH', '0.0.0.0:8701'],
  ['a log format', { TACTUS_TEMPORAL_LOG_FORMAT: 'xml' }, 'TACTUS_TEMPORAL_LOG_FORMAT', '=json'],
  ['a list that is no JSON', { TACTUS_TEMPORAL_WARM_MODELS: 'iris' }, 'TACTUS_TEMPORAL_WARM_MODELS', '['],
  ['a key in quotes', { OPENAI_API_KEY: '"sk-canary"' }, 'OPENAI_API_KEY', 'alone'],
  ['a key with a line break', { OPENAI_API_KEY: 'sk-canary\n' }, 'OPENAI_API_KEY', 'alone'],
  ['a key file that is not there', { OPENAI_API_KEY_FILE: '/nowhere/key' }, 'OPENAI_API_KEY_FILE', 'file'],
  ['an address with http', { TEMPORAL_ADDRESS: 'http://localhost:7233' }, 'TEMPORAL_ADDRESS', ':7233'],
  ['an address without a port', { TEMPORAL_ADDRESS: 'localhost' }, 'TEMPORAL_ADDRESS', ':7233'],
];

interface Problem {
  severity: string;
  file: string | null;
  line: number | null;
  setting: string | null;
  message: string;
  advice: string;
}

const file = '.tactus/config.yml';

describe('config check', () => {
  it.each(inFiles)('names %s, its line and what mends it', async (_what, yaml, line, setting, advice) => {
    const folder = cliFolder({ PRESENT: 'x' });
    folder.write(file, yaml);
    folder.write('codec.mjs', '');
    const ended = await folder.runHere(['config', 'check', '--json']);
    const { valid, problems } = ended.json() as { valid: boolean; problems: Problem[] } & JsonObject;
    expect([valid, ended.code]).toEqual([false, 1]);
    const found = problems.filter((each) => each.severity === 'error');
    expect(found[0], JSON.stringify(problems)).toMatchObject({
      ...{ file, setting: setting === '' ? null : setting, line: line === 0 ? null : line },
      advice: expect.stringContaining(advice) as string,
    });
    expect(found).toHaveLength(1);
  });

  it.each(inEnvironment)('names %s of the environment', async (_what, env, setting, advice) => {
    const folder = cliFolder(env);
    const ended = await folder.runHere(['config', 'check', '--json']);
    const { problems } = ended.json() as { problems: Problem[] } & JsonObject;
    expect(ended.code).toBe(1);
    expect(problems).toEqual([
      expect.objectContaining({ file: null, setting, advice: expect.stringContaining(advice) as string }),
    ]);
    expect(ended.stdout).not.toContain('canary');
  });

  it('finds all of them at once, and says so to people', async () => {
    const folder = cliFolder({ TACTUS_TEMPORAL_STORGE: 'x' });
    folder.write('tactus.yml', 'retries: -1\nserver: {port: x, prot: 1}\n');
    folder.write(file, 'channels:\n  a: {pager: {}}\n  b: {pager: {}}\n');
    const ended = await folder.runHere(['config', 'check']);
    expect(ended.code).toBe(1);
    expect(ended.stdout.match(/^error .*$/gm)).toEqual([
      expect.stringMatching(/^error tactus\.yml:1: retries /),
      expect.stringMatching(/^error tactus\.yml:2: /),
      expect.stringMatching(/^error tactus\.yml:2: /),
      expect.stringMatching(/^error \.tactus\/config\.yml:2: channels\.a /),
      expect.stringMatching(/^error \.tactus\/config\.yml:3: channels\.b /),
      expect.stringContaining('TACTUS_TEMPORAL_STORGE'),
    ]);
    expect(ended.stdout).toContain('6 errors in tactus.yml, .tactus/config.yml and the environment.');
  });

  it('is content with what is right, and tells what has no effect', async () => {
    const folder = cliFolder({ LINKS: 'x' });
    folder.write(
      file,
      'retries: 2\ntool_paths: [a]\nworker: {health: 8701, cache_memory: 1GB, grace_period: 30s}\nserver: {drain_delay: 5s}\n',
    );
    const ended = await folder.runHere(['config', 'check', '--json']);
    expect(ended.json()).toEqual({
      valid: true,
      files: [file],
      problems: [
        {
          ...{ severity: 'warning', file, line: 2, setting: 'tool_paths' },
          ...{ message: 'tool_paths has no effect here', advice: 'remove tool_paths' },
        },
      ],
    });
    expect(ended.code).toBe(0);
  });
});

describe('config show', () => {
  it('says where each setting comes from, and no secret', async () => {
    const canary = 'canary-0123456789';
    const folder = cliFolder({
      OPENAI_API_KEY: canary,
      TACTUS_TEMPORAL_INDEX: `postgres://me:${canary}@db/runs`,
      TACTUS_NOV: canary,
      TEMPORAL_GRPC_META_TENANT: canary,
    });
    folder.write('tactus.yml', 'retries: 2\nserver: {port: 1, hosts: [a]}\n');
    folder.write(
      file,
      [
        'server:',
        '  port: 2',
        '  hosts: [b]',
        `  tokens: [{name: ann, hash: "sha256:${'0'.repeat(64)}"}]`,
        `anthropic: {api_key: ${canary}}`,
        `mcp_servers: {a: {command: x, env: {PIN: ${canary}}}}`,
        `outside_agents: {t: {protocol: a2a, url: "https://a.example.com", headers: {x-a: ${canary}}}}`,
        'worker: {grace_period: 1m}',
        'webhook_hosts: {hooks.example.com: HOOK_SECRET}',
      ].join('\n'),
    );
    const ended = await folder.runHere(['config', 'show', '--json']);
    expect(ended.stdout).not.toContain(canary);
    const { settings, files } = ended.json() as unknown as {
      files: string[];
      settings: { name: string; value: unknown; origin: string }[];
    };
    expect(files).toEqual(['tactus.yml', file]);
    const of = (name: string): unknown[] =>
      settings.flatMap((each) => (each.name === name ? [each.value, each.origin] : []));
    expect(of('retries')).toEqual([2, 'tactus.yml:1']);
    expect(of('server.port')).toEqual([2, `${file}:2`]);
    expect(of('server.hosts')).toEqual([['a', 'b'], `tactus.yml:2, ${file}:3`]);
    expect(of('server.tokens')).toEqual([[{ name: 'ann', hash: '***' }], `${file}:4`]);
    expect(of('anthropic.api_key')).toEqual(['***', `${file}:5`]);
    expect(of('mcp_servers.a.env.PIN')).toEqual(['***', `${file}:6`]);
    expect(of('worker.grace_period')).toEqual(['1m', `${file}:8`]);
    expect(of('worker.sticky_timeout')).toEqual(['3s', 'usual']);
    expect(of('webhook_hosts.hooks.example.com')).toEqual(['HOOK_SECRET', `${file}:9`]);
    expect(of('TACTUS_TEMPORAL_INDEX')).toEqual(['postgres://me:***@db/runs', 'the environment']);
    expect(of('OPENAI_API_KEY')).toEqual(['***', 'the environment']);
  });

  it('is what worker and serve print with --print-config, before they start anything', async () => {
    const folder = cliFolder();
    folder.write(file, 'retries: 2\nindex: runs.sqlite\n');
    const shown = (await folder.runHere(['config', 'show'])).stdout;
    expect(shown).toContain(`retries = 2  (${file}:1)\nindex = runs.sqlite  (${file}:2)\n`);
    expect(shown).not.toContain('TACTUS_TEMPORAL_INDEX');
    for (const command of ['worker', 'serve'])
      expect((await folder.runHere([command, '--print-config'])).stdout).toBe(shown);
    expect((await folder.runHere(['server', 'status', '--json'])).json()).toEqual({ running: false });
  });

  it('worker and serve refuse what is wrong, with nothing started', async () => {
    const folder = cliFolder();
    folder.write(file, 'retires: 2\nworker: {slots: 2}\n');
    for (const command of ['worker', 'serve']) {
      const { code, stderr } = await folder.runHere([command]);
      expect(code).toBe(2);
      expect(stderr).toContain(`${file}:1: there is no setting retires`);
      expect(stderr).toContain(`${file}:2: `);
    }
    expect((await folder.runHere(['server', 'status', '--json'])).json()).toEqual({ running: false });
  });
});
