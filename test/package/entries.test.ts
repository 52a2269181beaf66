import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

interface Loaded {
  names: string[];
  packages: string[];
  rooms: string[];
}

const lib = new URL('../../lib/', import.meta.url);
const modules = JSON.parse(readFileSync(new URL('.modules.json', lib), 'utf8')) as Record<string, string[]>;
const script = fileURLToPath(new URL('../support/import-entry.mjs', import.meta.url));

async function load(entry: string): Promise<Loaded> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, entry]);
  return JSON.parse(stdout) as Loaded;
}

const worker = ['@temporalio/worker', '@temporalio/core-bridge'];
const providers = ['ai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible', 'zod'];
const parsers = ['@cucumber/gherkin', '@cucumber/messages'];
const commands = ['commander', '@clack/prompts', '@temporalio/envconfig', '@temporalio/testing'];

/** The packed file that a compiled module is in. */
function fileOf(module: RegExp): string {
  const [file] = Object.entries(modules).find(([, each]) => each.some((path) => module.test(path))) ?? [];
  return new URL(file ?? `no file has ${module.source}`, lib).href;
}

/** What an entry gives, must load, and must not load. */
const entries: Record<
  string,
  { names: string[]; loads: string[]; without: string[]; withoutRooms: string[] }
> = {
  'tactus-temporal': {
    names: ['TactusClient', 'collectSource', 'validateFile'],
    loads: ['@temporalio/client'],
    without: [...worker, ...providers, ...parsers, ...commands, '@temporalio/workflow', 'luaparse'],
    // Lua too: only what starts a procedure or validates it runs any, and loads it then.
    withoutRooms: ['worker', 'activities', 'lua-bridge', 'validation', 'graph', 'cli', 'workflows'],
  },
  'tactus-temporal/worker': {
    names: ['TactusPlugin', 'createTactusWorker'],
    loads: [...worker, 'ai'],
    without: [...parsers, ...commands],
    withoutRooms: ['testing', 'graph', 'cli', 'workflows'],
  },
  'tactus-temporal/session': {
    names: ['CheckpointStore', 'DurableMainLoop', 'SessionSnapshot'],
    loads: ['@temporalio/client'],
    without: [...worker, ...providers, ...parsers, ...commands, '@temporalio/workflow', 'luaparse'],
    withoutRooms: ['worker', 'activities', 'lua-bridge', 'validation', 'graph', 'cli', 'workflows'],
  },
  'tactus-temporal/workflow': {
    names: ['tactus', 'workflowType'],
    loads: ['@temporalio/workflow'],
    without: [...worker, ...providers, ...parsers, ...commands, '@temporalio/client', 'luaparse'],
    withoutRooms: ['worker', 'activities', 'client', 'testing', 'validation', 'graph', 'cli'],
  },
  'tactus-temporal/graph': {
    names: [
      'CanonicalChannels',
      'EngineExecutor',
      'GraphInterrupt',
      'RunCheckpointer',
      'checkpointSaver',
      'defineGraph',
    ],
    loads: ['@temporalio/client'],
    without: [...worker, ...providers, ...parsers, ...commands, '@temporalio/workflow', 'luaparse'],
    withoutRooms: ['worker', 'activities', 'lua-bridge', 'validation', 'graph', 'cli', 'workflows'],
  },
  'tactus-temporal/testing': {
    names: ['evaluateFile', 'startTestEnvironment', 'testFile'],
    loads: [...worker, ...parsers],
    without: commands,
    withoutRooms: ['graph', 'cli', 'workflows'],
  },
};

it('the package has these entries, and its own description', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Record<string, unknown> };
  const names = Object.keys(exports).map((name) => name.replace(/^\./, 'tactus-temporal'));
  expect(names.sort()).toEqual([...Object.keys(entries), 'tactus-temporal/package.json'].sort());
});

describe.each(Object.entries(entries))('%s', (entry, { names, loads, without, withoutRooms }) => {
  it('loads what it needs, and nothing that is for others', async () => {
    const loaded = await load(entry);
    expect(loaded.names).toEqual(expect.arrayContaining(names));
    expect(loaded.packages).toEqual(expect.arrayContaining(loads));
    expect(loaded.packages.filter((each) => without.includes(each))).toEqual([]);
    expect(loaded.rooms.filter((each) => withoutRooms.includes(each))).toEqual([]);
  });
});

/** What a command must not load: most of the time of a short one is loading. */
const ofOthers = [...worker, ...providers, ...parsers, '@temporalio/envconfig', '@temporalio/testing'];
/** By the file of the command. */
const commandsWithout: Record<string, { packages: string[]; rooms: string[] }> = {
  'status-commands': {
    packages: ofOthers,
    rooms: ['lua-bridge', 'language', 'activities', 'graph', 'testing', 'server'],
  },
  'list-commands': {
    packages: ofOthers,
    rooms: ['lua-bridge', 'language', 'activities', 'graph', 'testing', 'server'],
  },
  'start-commands': { packages: ofOthers, rooms: ['graph', 'testing', 'server'] },
  'validate-command': {
    packages: [...ofOthers.filter((name) => !parsers.includes(name)), '@temporalio/client'],
    rooms: ['activities', 'server'],
  },
  'server-command': {
    packages: [...ofOthers, '@temporalio/client'],
    rooms: ['lua-bridge', 'validation', 'activities', 'testing', 'server'],
  },
  'playground-command': {
    packages: [...ofOthers, '@temporalio/client'],
    rooms: ['lua-bridge', 'validation', 'activities', 'testing', 'server'],
  },
};

it.each(Object.entries(commandsWithout))(
  'cli/…/%s.ts loads nothing that is for others',
  async (file, { packages, rooms }) => {
    const loaded = await load(fileOf(new RegExp(`^cli/[^/]+/${file}[.]js$`)));
    expect(loaded.packages).toContain('commander');
    expect(loaded.packages.filter((each) => packages.includes(each))).toEqual([]);
    expect(loaded.rooms.filter((each) => rooms.includes(each))).toEqual([]);
  },
);
