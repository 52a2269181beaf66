import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { assertLinks, type Reach } from '../contract/people/channels/channel.js';
import type { CodecSettings } from '../contract/payloads/codec-settings.js';
import {
  canonicalJson,
  getOwn,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../contract/json/json.js';
import type { LinkSettings, VerificationKeys } from '../contract/authority/authority.js';
import type { ModelQueue, RunSettings } from '../contract/runs/run-settings.js';
import {
  authorityKeysOf,
  authorityLinksOf,
  authoritySetting,
  groupsOf,
  groupsSetting,
  serverOf,
  serverSetting,
} from './authority.js';
import { channelSettings, reachOf, reachSettings } from './channels.js';
import { onFailureOf } from './failure-question.js';
import { fixturesOf, type FixturesSetting } from './fixtures.js';
import { codecOf, codecSetting, modelQueuesOf, modelQueuesSetting } from './worker-settings.js';
import { ofWorkerFolders, toolPolicyOf, workerToolsOf, type WorkerTools } from './tool-settings.js';
import { ineffective, runSettings, workerVariables, ownVariables } from './settings.js';
import { readBudget, stricterBudget, type Budget } from '../contract/budgets/budget.js';
import type { Environment } from '../contract/environment.js';
import { TactusError } from '../contract/errors.js';

const name = join('.tactus', 'config.yml');

interface Surroundings {
  workingFolder: string;
  env: Environment;
}

interface ConfigFiles {
  /** The weakest first: the machine's, the person's, the working folder's, those of the folders down to the procedure. */
  folders: string[];
  /** `x.tac.yml`, else `x.yml`, beside the procedure `x.tac`: stronger than environment variables. */
  beside: string | null;
}

/** The files of the configuration cascade that are there; without a procedure, those that hold for all. */
function configFiles(procedure: string | null, { workingFolder, env }: Surroundings): ConfigFiles {
  const files = [
    ...systemFolders(env).map((folder) => join(folder, 'config.yml')),
    join(env['XDG_CONFIG_HOME'] ?? join(home(env), '.config'), 'tactus', 'config.yml'),
    join(home(env), name),
    join(workingFolder, 'tactus.yml'),
    join(workingFolder, name),
    ...(procedure === null
      ? []
      : foldersDownTo(procedure, workingFolder).map((folder) => join(folder, name))),
  ];
  const path = procedure === null ? null : resolve(workingFolder, procedure);
  const besides = path === null ? [] : [`${path}.yml`, path.replace(/\.tac$/, '.yml')];
  const beside = besides.find((file) => file !== path && existsSync(file)) ?? null;
  const found = [...new Set(files.map((file) => resolve(file)))].filter((file) => existsSync(file));
  return {
    folders: found.map((file) => shortPath(file, workingFolder)),
    beside: beside && shortPath(beside, workingFolder),
  };
}

function systemFolders(env: Environment): string[] {
  if (process.platform === 'win32') return [join(env['PROGRAMDATA'] ?? 'C:\\ProgramData', 'tactus')];
  return ['/etc/tactus', '/usr/local/etc/tactus'];
}

function home(env: Environment): string {
  return env['HOME'] ?? homedir();
}

/** The folders above a procedure, the outermost first, up to the working folder where that is one of them. */
function foldersDownTo(procedure: string, workingFolder: string): string[] {
  const folders: string[] = [];
  let folder = dirname(resolve(workingFolder, procedure));
  while (folder !== resolve(workingFolder) && dirname(folder) !== folder) {
    folders.unshift(folder);
    folder = dirname(folder);
  }
  return folders;
}

/** Files below the working folder are told as people name them. */
function shortPath(file: string, workingFolder: string): string {
  const path = relative(workingFolder, file);
  return path.startsWith('..') ? file : path;
}

export interface Configuration {
  /** What goes with the runs that are started. */
  settings: RunSettings;
  /** Keys of model providers and their like, as environment variables; those that are set already are left out. */
  variables: Record<string, string>;
  /** What the files that hold for all procedures say of tools, for a worker. */
  tools: WorkerTools;
  /** Task queues of their own for calls of models, by provider. */
  modelQueues: Record<string, ModelQueue>;
  /** What they say of `serve`; it is checked when that is used. */
  server: JsonObject;
  /** Keys of those who sign decisions; where there are any, the runs that are started take signed decisions alone. */
  authorityKeys: VerificationKeys;
  /** With what links are signed that answer a request; null: there are none. */
  links: LinkSettings | null;
  /** How a worker reaches people. */
  reach: Reach;
  /** What the folder of files of each test begins with; null: it begins empty. */
  fixtures: FixturesSetting | null;
  /** What encodes the payloads of runs. */
  codec: CodecSettings;
  /** The files that were read, the weakest first. */
  files: string[];
  /** What they say that has no effect. */
  notes: string[];
}

/**
 * The configuration cascade of Tactus: the machine's file, the person's, the working folder's, those of the folders
 * down to the procedure's, environment variables, the file beside the procedure; what comes later wins.
 * @param procedure path of its file; null for what holds for all procedures
 * @throws TactusError config_invalid naming file and setting
 */
export async function loadConfiguration(
  procedure: string | null,
  surroundings: Surroundings,
): Promise<Configuration> {
  const { env, workingFolder } = surroundings;
  const { folders, beside } = configFiles(procedure, surroundings);
  const files = [...folders, ...(beside === null ? [] : [beside])];
  const configs = await Promise.all(
    files.map(async (file) => ({ file, config: await readConfig(file, workingFolder) })),
  );
  // Each by itself first: what is wrong is told with its file.
  for (const { file, config } of configs) runSettings(config, file);
  const provider = env['TACTUS_DEFAULT_PROVIDER'] ?? '';
  const ofEnvironment = {
    file: 'the environment',
    config: provider === '' ? {} : { default_provider: provider },
  };
  const ordered = [...configs];
  ordered.splice(folders.length, 0, ofEnvironment);
  const merged = ordered.map(({ config }) => config).reduce(mergeConfig, {});
  const ofAll = new Set(configFiles(null, surroundings).folders);
  const ofFolders = configs.filter(({ file }) => ofAll.has(file));
  const variables = Object.assign(
    {},
    ...configs.map(({ file, config }) => workerVariables(config, file)),
    ...ofFolders.map(({ file, config }) => ownVariables(config, file)),
  ) as Record<string, string>;
  const toolPolicy = toolPolicyOf(configs);
  const budget = budgetOf(configs);
  const onFailure = await onFailureOf(ordered);
  const modelQueues = modelQueuesOf(ofFolders);
  const groups = groupsOf(ofFolders);
  const server = ofFolders.map((each) => serverOf(each)).reduce(mergeConfig, {});
  const authorityKeys = authorityKeysOf(ofFolders);
  const links = authorityLinksOf(ofFolders, authorityKeys);
  const reach = reachOf(ofFolders);
  assertLinks(reach, links !== null);
  const isSigned = Object.keys(authorityKeys).length > 0;
  const taskQueues = Object.entries(modelQueues).map(([provider, { taskQueue }]) => [provider, taskQueue]);
  return {
    settings: {
      ...runSettings(merged, 'the configuration'),
      ...(toolPolicy === null ? {} : { toolPolicy }),
      ...(budget === null ? {} : { budget }),
      ...(onFailure === null ? {} : { onFailure }),
      ...(isSigned ? { signedDecisions: true } : {}),
      ...channelSettings(reach.channels),
      ...(taskQueues.length === 0
        ? {}
        : { modelQueues: Object.fromEntries(taskQueues) as Record<string, string> }),
      ...(Object.keys(groups).length === 0 ? {} : { groups }),
    },
    tools: workerToolsOf(ofFolders),
    modelQueues,
    server,
    authorityKeys,
    links,
    reach,
    fixtures: fixturesOf(configs, ofAll, workingFolder),
    codec: codecOf(ofFolders),
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => !isSet(env, name))),
    files,
    notes: configs.flatMap(({ file, config }) => [
      ...ineffective(config, file),
      ...(ofAll.has(file) ? [] : misplaced(config, file)),
    ]),
  };
}

/** Whoever writes a procedure doesn't start programs of the worker's. */
function misplaced(config: JsonObject, file: string): string[] {
  return [
    ...ofWorkerFolders,
    ...[modelQueuesSetting, groupsSetting, serverSetting, authoritySetting, codecSetting],
    ...reachSettings,
  ]
    .filter((name) => Object.hasOwn(config, name))
    .map(
      (name) =>
        `${file}: ${name} has no effect here; it belongs into .tactus/config.yml where the worker is started`,
    );
}

function isSet(env: Surroundings['env'], name: string): boolean {
  return (env[name] ?? '') !== '' || (env[`${name}_FILE`] ?? '') !== '';
}

/**
 * What several files let a run use, together: of everything the least. A file that lies beside a procedure can allow less than
 * those above it, and no more.
 * @throws TactusError config_invalid
 */
function budgetOf(configs: readonly { file: string; config: JsonObject }[]): Budget | null {
  const budgets = configs.flatMap(({ file, config }) => {
    const given = getOwn(config, 'budget') ?? null;
    return given === null ? [] : [readBudget(given, `${file}: budget`, 'config_invalid')];
  });
  return budgets.length === 0 ? null : budgets.reduce(stricterBudget);
}

/** More calls of models than most runs ever make. Beyond it a person is asked whether the run is to go on. */
const usualModelCalls = 1_000;

/** Settings of a run that is started, with what holds where no configuration says anything else. */
export function withModelCalls(settings: RunSettings): RunSettings {
  return { modelCalls: usualModelCalls, ...settings };
}

/**
 * One file of the cascade, by its path from the working folder.
 * @throws TactusError config_invalid with the line, where it is no YAML, or no table of settings
 */
async function readConfig(file: string, workingFolder: string): Promise<JsonObject> {
  // Most procedures have no configuration: it is loaded where there is some.
  // The reference's YAML is that of 1.1, where `yes` is true.
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const text = await readFile(resolve(workingFolder, file), 'utf8').catch((error: Error) => {
    throw new TactusError('config_invalid', `${file} can't be read: ${error.message}`, { file });
  });
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.1' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new TactusError('config_invalid', `${file}:${line}: ${error.message}`, { file, line });
  }
  const config = document.toJS() as JsonValue | undefined;
  if (config === null || config === undefined) return {};
  if (isObject(config)) return config;
  // `x.yml` beside `x.tac` may be something else altogether.
  if (!/(\.tac|config|tactus)\.yml$/.test(file)) return {};
  throw new TactusError(
    'config_invalid',
    `${file} must be a table of settings, such as default_model: gpt-5-mini`,
    {
      file,
    },
  );
}

/** Two files of the cascade as one: tables are merged, lists joined without repeating, all else replaced. */
export function mergeConfig(weaker: JsonObject, stronger: JsonObject): JsonObject {
  const merged = { ...weaker };
  for (const [name, value] of Object.entries(stronger)) {
    const before = getOwn(weaker, name);
    setOwn(merged, name, before === undefined ? value : mergeValues(before, value));
  }
  return merged;
}

function mergeValues(weaker: JsonValue, stronger: JsonValue): JsonValue {
  if (isObject(weaker) && isObject(stronger)) return mergeConfig(weaker, stronger);
  if (!Array.isArray(weaker) || !Array.isArray(stronger)) return stronger;
  const known = new Set(weaker.map(canonicalJson));
  return [...weaker, ...stronger.filter((each) => !known.has(canonicalJson(each)))];
}
