import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { providers } from '../../../src/activities/models/providers/index.js';
import { noCodec } from '../../../src/contract/payloads/codec-settings.js';
import {
  loadConfiguration,
  mergeConfig,
  type Configuration,
} from '../../../src/configuration/load-configuration.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder('config');
});

function write(name: string, text: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** Of `project/flows/deep/x.tac`, with `project` as working folder. */
function load(
  env: Record<string, string> = {},
  procedure: string | null = 'flows/deep/x.tac',
): Promise<Configuration> {
  const workingFolder = join(folder, 'project');
  return loadConfiguration(procedure === null ? null : join(workingFolder, procedure), {
    workingFolder,
    env: { HOME: join(folder, 'home'), ...env },
  });
}

const model = (name: string): string => `default_model: ${name}\n`;

describe('the cascade', () => {
  const weakestFirst = [
    'home/.config/tactus/config.yml',
    'home/.tactus/config.yml',
    'project/tactus.yml',
    'project/.tactus/config.yml',
    'project/flows/.tactus/config.yml',
    'project/flows/deep/.tactus/config.yml',
    'project/flows/deep/x.tac.yml',
  ];

  it.each(weakestFirst.map((file, i) => ({ file, weaker: weakestFirst.slice(0, i) })))(
    '$file wins over those before it',
    async ({ file, weaker }) => {
      for (const each of weaker) write(each, model('weaker'));
      write(file, model('stronger'));
      expect((await load()).settings).toEqual({ defaultModel: 'stronger' });
    },
  );

  it('names the files that it read, those of the working folder as they are named there', async () => {
    for (const file of weakestFirst) write(file, model('m'));
    expect((await load()).files).toEqual([
      join(folder, 'home/.config/tactus/config.yml'),
      join(folder, 'home/.tactus/config.yml'),
      'tactus.yml',
      '.tactus/config.yml',
      'flows/.tactus/config.yml',
      'flows/deep/.tactus/config.yml',
      'flows/deep/x.tac.yml',
    ]);
  });

  it('without a procedure is what holds for all', async () => {
    for (const file of weakestFirst) write(file, model(file.split('/')[1] ?? ''));
    expect((await load({}, null)).files).toHaveLength(4);
  });

  it('takes x.yml where there is no x.tac.yml', async () => {
    write('project/flows/deep/x.yml', model('plain'));
    expect((await load()).settings.defaultModel).toBe('plain');
    write('project/flows/deep/x.tac.yml', model('named'));
    expect((await load()).settings.defaultModel).toBe('named');
  });

  it('looks in the folders above a procedure that lies elsewhere, and in XDG_CONFIG_HOME', async () => {
    write('other/.tactus/config.yml', model('above'));
    write('xdg/tactus/config.yml', 'strict_determinism: true\n');
    const { settings } = await load({ XDG_CONFIG_HOME: join(folder, 'xdg') }, '../other/flows/y.tac');
    expect(settings).toEqual({ defaultModel: 'above', strictDeterminism: true });
  });

  it('puts the environment above the folders, and below the file beside the procedure', async () => {
    write('project/.tactus/config.yml', 'default_provider: openai\n');
    expect((await load({ TACTUS_DEFAULT_PROVIDER: 'anthropic' })).settings.defaultProvider).toBe('anthropic');
    write('project/flows/deep/x.tac.yml', 'default_provider: google\n');
    expect((await load({ TACTUS_DEFAULT_PROVIDER: 'anthropic' })).settings.defaultProvider).toBe('google');
  });

  it('is nothing where there is no file', async () => {
    expect(await load()).toEqual({
      settings: {},
      worker: {},
      links: null,
      fixtures: null,
      tools: { mcpServers: {}, outsideAgents: {}, toolModules: [] },
      callQueues: { models: {}, tools: {} },
      tenantBudgets: {},
      server: {},
      authorityKeys: {},
      reach: {},
      codec: noCodec,
      variables: {},
      files: [],
      notes: [],
    });
  });

  it('names fixtures from where its file is, the nearest one last', async () => {
    write('project/tactus.yml', 'fixtures_folder: all');
    write('project/flows/.tactus/config.yml', 'fixtures_folder: ../theirs');
    const project = join(folder, 'project');
    const above = { folder: join(project, 'theirs'), within: join(project, 'flows') };
    expect((await load()).fixtures).toMatchObject(above);
    write('project/flows/deep/x.tac.yml', 'fixtures_folder: mine');
    const { fixtures, notes } = await load();
    expect(fixtures?.folder).toBe(join(project, 'flows/deep/mine'));
    expect(notes).toEqual([]);
    expect((await load({}, null)).fixtures).toMatchObject({ folder: join(project, 'all'), within: null });
  });
});

describe('keys of model providers', () => {
  it('are environment variables, and no settings of a run', async () => {
    write('project/.tactus/config.yml', 'openai_api_key: sk-1\nanthropic:\n  api_key: sk-2\n');
    expect(await load()).toMatchObject({
      settings: {},
      variables: { OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2' },
    });
  });

  const keyed = providers.flatMap(({ name, key }) => {
    const variable = key?.ways.flat().find((each) => each.endsWith('_API_KEY'));
    return variable === undefined ? [] : [[name, variable] as const];
  });
  it.each(keyed)('are each in the table of its provider: %s', async (name, variable) => {
    write('project/.tactus/config.yml', `${name}: {api_key: sk-1}\n`);
    const { variables, notes } = await load();
    expect([variables[variable] ?? variables[`${name.toUpperCase()}_API_KEY`], notes]).toEqual(['sk-1', []]);
  });

  it('give way to those that are set, in themselves or in a file', async () => {
    write('project/.tactus/config.yml', 'openai: {api_key: sk-1}\nanthropic_api_key: sk-2\n');
    const { variables } = await load({ OPENAI_API_KEY: 'sk-0', ANTHROPIC_API_KEY_FILE: '/run/key' });
    expect(variables).toEqual({});
  });

  it('are not told when they are wrong', async () => {
    write('project/.tactus/config.yml', 'openai: {api_key: 12345678}\n');
    const error = await load().catch((each: Error) => each);
    expect(error).toMatchObject({
      code: 'config_invalid',
      message: '.tactus/config.yml: openai.api_key must be text',
    });
  });
});

describe('a file', () => {
  it.each([
    'strict_determinism: true',
    'strict_determinism: yes',
    '"strict_determinism": on',
    '# more\nstrict_determinism: True',
  ])('says yes as YAML 1.1 does: %j', async (text) => {
    write('project/flows/deep/x.tac.yml', text);
    expect((await load()).settings).toEqual({ strictDeterminism: true });
  });

  it('says how long a model may take, and be silent', async () => {
    write('project/flows/deep/x.tac.yml', 'request_timeout: 1m\nidle_timeout: 20s\n');
    expect((await load()).settings).toEqual({ requestTimeoutMs: 60_000, idleTimeoutMs: 20_000 });
  });

  it.each(['', '# nothing\n', 'strict_determinism:\n'])('may say nothing: %j', async (text) => {
    write('project/flows/deep/x.tac.yml', text);
    expect((await load()).settings).toEqual({});
  });

  it.each([
    [
      'strict_determinism: maybe',
      'flows/deep/x.tac.yml: strict_determinism must be true or false, got "maybe"',
    ],
    ['default_model: [a]', 'flows/deep/x.tac.yml: default_model must be text, got ["a"]'],
    ['default_provider: ""', 'flows/deep/x.tac.yml: default_provider must be text, got ""'],
    ['- a\n- b', 'flows/deep/x.tac.yml must be a table of settings, such as default_model: gpt-5-mini'],
    ['a: 1\nb: [', /^flows\/deep\/x\.tac\.yml:2: /],
    ['a: 1\na: 2', /^flows\/deep\/x\.tac\.yml:2: Map keys must be unique/],
  ])('is refused when wrong: %j', async (text, message) => {
    write('project/flows/deep/x.tac.yml', text);
    const error = (await load().catch((each: Error) => each)) as Error;
    expect(error).toMatchObject({ code: 'config_invalid' });
    if (typeof message === 'string') expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
  });

  it('of the name x.yml may be something else', async () => {
    write('project/flows/deep/x.yml', '- a\n- b\n');
    expect((await load()).settings).toEqual({});
  });

  it('is told what has no effect, and what is misspelt', async () => {
    write(
      'project/flows/deep/x.tac.yml',
      'strict_determinsm: true\nmcp_servers: {}\nsandbox: {enabled: true}\nzzzz: 1\n',
    );
    expect((await load()).notes).toEqual([
      'flows/deep/x.tac.yml: there is no setting strict_determinsm; is strict_determinism meant?',
      'flows/deep/x.tac.yml: there is no setting zzzz',
      'flows/deep/x.tac.yml: mcp_servers has no effect here; it belongs into .tactus/config.yml where the worker is started',
    ]);
  });
});

describe('budgets of several files', () => {
  it('hold together: of everything the least', async () => {
    write('project/.tactus/config.yml', 'budget: {tokens: 1000, cost: 2.5, approvers: [ann]}');
    write('project/flows/deep/x.tac.yml', 'budget: {tokens: 5000, time: 1h, on_exhausted: error}');
    expect((await load()).settings).toEqual({
      budget: { tokens: 1_000, costUsd: 2.5, timeMs: 3_600_000, onExhausted: 'error', approvers: ['ann'] },
    });
  });

  it('are refused with their file', async () => {
    write('project/flows/deep/x.tac.yml', 'budget: {dollars: 5}');
    await expect(load()).rejects.toThrow(/^flows\/deep\/x\.tac\.yml: budget has the unknown field dollars/);
  });
});

it('merges tables, joins lists, and replaces the rest', () => {
  expect(
    mergeConfig(
      { a: 1, list: ['x', { y: 1 }], table: { kept: 1, changed: 1 }, other: [1] },
      { a: 2, list: [{ y: 1 }, 'z'], table: { changed: 2, added: 2 }, other: 'text' },
    ),
  ).toEqual({ a: 2, list: ['x', { y: 1 }, 'z'], table: { kept: 1, changed: 2, added: 2 }, other: 'text' });
});

it('settings of the HTTP API are those of the worker’s folders alone', async () => {
  write('project/.tactus/config.yml', 'server:\n  port: 80\n  hosts: [a]\n');
  write('project/flows/deep/x.tac.yml', 'server:\n  port: 81\n');
  const { server, notes } = await load();
  expect(server).toEqual({ port: 80, hosts: ['a'] });
  expect(notes).toEqual([expect.stringContaining('x.tac.yml: server has no effect here')]);
  write('project/.tactus/config.yml', 'server: 80\n');
  await expect(load()).rejects.toThrow('server must be a table');
});

describe('agents outside', () => {
  const agentsOf = async (text: string): Promise<unknown> => {
    write('project/.tactus/config.yml', `outside_agents: ${text}`);
    return (await load()).tools.outsideAgents;
  };

  it('are read as they are written', async () => {
    const headers = '{authorization: "Bearer ${TOKEN}"}';
    const more = `headers: ${headers}, graph: trips, effect: once, timeout: 30s, poll: 2s, description: Plans`;
    expect(await agentsOf(`{planner: {protocol: langgraph, url: "https://plan.example", ${more}}}`)).toEqual({
      planner: {
        ...{ protocol: 'langgraph', url: 'https://plan.example', graph: 'trips', description: 'Plans' },
        ...{
          headers: { authorization: 'Bearer ${TOKEN}' },
          effect: 'once',
          timeoutMs: 30_000,
          pollMs: 2_000,
        },
      },
    });
  });

  it.each([
    ['[]', 'outside_agents must be a table of agents'],
    ['{"a b": {}}', "a b can't be a name"],
    ['{x: {protocol: soap, url: u}}', 'outside_agents.x.protocol must be one of a2a, ag_ui, langgraph'],
    ['{x: {protocol: a2a}}', 'outside_agents.x.url must be text'],
    ['{x: {protocol: langgraph, url: u}}', 'outside_agents.x.graph must say which graph'],
    ['{x: {protocol: a2a, url: u, effect: twice}}', 'outside_agents.x.effect must be one of pure'],
    ['{x: {protocol: a2a, url: u, token: t}}', 'outside_agents.x has the unknown field token'],
  ])('are refused as %s', async (text, why) => {
    await expect(agentsOf(text)).rejects.toThrow(why);
  });

  it('belong to a worker, and not beside a procedure', async () => {
    write('project/flows/deep/x.tac.yml', 'outside_agents: {x: {protocol: a2a, url: u}}');
    const { notes, tools } = await load();
    expect(notes).toEqual([expect.stringContaining('outside_agents has no effect here')]);
    expect(tools.outsideAgents).toEqual({});
  });
});

describe('the index of runs', () => {
  it('is an address or a file, and what begins otherwise is refused without being told', async () => {
    write('project/tactus.yml', 'index: postgres://tactus@db/tactus\n');
    expect((await load()).variables['TACTUS_TEMPORAL_INDEX']).toBe('postgres://tactus@db/tactus');
    write('project/tactus.yml', 'index: mysql://user:secret@host/db\n');
    const problem = await load().catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'config_invalid' });
    expect(String(problem)).toContain('index must be postgres://user@host/database');
    expect(String(problem)).not.toContain('secret');
  });
});

it('whom a worker may ask is not said by whoever writes a procedure', async () => {
  write('project/.tactus/config.yml', 'egress: {profile: production, deny: ["*:25"]}');
  write('project/flows/deep/x.tac.yml', 'egress: {allow: ["*"]}');
  const { notes, tools } = await load();
  expect(notes).toEqual([expect.stringContaining('egress has no effect here')]);
  expect(tools.egressPolicy).toEqual({ profile: 'production', allow: [], deny: ['*:25'] });
});

describe('the storage', () => {
  const address = async (storage: string): Promise<string | undefined> => {
    write('project/tactus.yml', `storage: ${storage}\n`);
    return (await load()).variables['TACTUS_TEMPORAL_STORAGE'];
  };

  it.each([
    ['sqlite:runs.sqlite', 'sqlite:runs.sqlite'],
    ['{type: file, path: ./checkpoints}', 'file:./checkpoints'],
    ['{type: sqlite, path: runs.sqlite}', 'sqlite:runs.sqlite'],
    ['{type: postgres, url: "postgres://tactus@db/tactus"}', 'postgres://tactus@db/tactus'],
    ['{type: redis, url: "rediss://db:6380/1"}', 'rediss://db:6380/1'],
    ['{type: dynamodb, table: tactus-checkpoints}', 'dynamodb:tactus-checkpoints'],
    [
      '{type: dynamodb, table: checkpoints, region: eu-west-1, endpoint: "http://localhost:8000"}',
      'dynamodb:checkpoints?region=eu-west-1&endpoint=http%3A%2F%2Flocalhost%3A8000',
    ],
    ['{type: s3, bucket: runs, folder: a/b, region: eu-west-1}', 's3://runs/a/b?region=eu-west-1'],
    ['{type: cosmos, account: acme, database: tactus, container: runs}', 'cosmos://acme/tactus/runs'],
    [
      '{type: firestore, project: acme, collection: runs, database: tactus}',
      'firestore://acme/runs?database=tactus',
    ],
  ])('%s is %s', async (storage, expected) => {
    expect(await address(storage)).toBe(expected);
  });

  it.each([
    [
      '{table: x}',
      'must have a type, one of file, sqlite, postgres, redis, dynamodb, s3, cosmos, firestore, lambda',
    ],
    ['{type: toString}', 'must have a type'],
    ['{type: mysql, url: "mysql://u:secret@h/d"}', 'must have a type'],
    ['{type: dynamodb}', 'of type dynamodb needs a table'],
    ['{type: cosmos, account: acme, container: runs}', 'of type cosmos needs a database'],
    ['{type: file, path: a, url: b}', 'of type file takes path, not url'],
    ['{type: sqlite, path: 3}', 'of type sqlite has a path that is no text'],
    ['{type: postgres, url: "mysql://u:secret@h/d"}', 'must begin with one of file:'],
    ['{type: lambda, function: orders}', "can't be in Lambda: nobody but"],
    ['lambda:orders?region=eu-west-1', "can't be in Lambda: nobody but"],
    ['{type: lambda, region: eu-west-1}', 'of type lambda needs a function'],
    ['[sqlite]', 'must be text, or a table with a type'],
  ])('%s is refused, and its values not told', async (storage, problem) => {
    await expect(address(storage)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(`tactus.yml: storage ${problem}`) as string,
    });
    await expect(address(storage)).rejects.not.toThrow('secret');
  });
});
