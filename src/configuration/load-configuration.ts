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
import type { RunSettings } from '../contract/runs/run-settings.js';
import {
  authorityKeysOf,
  authorityLinksOf,
  authoritySetting,
  groupsOf,
  groupsSetting,
  serverSetting,
  serviceOf,
  workerSetting,
} from './authority.js';
import { callQueuesOf, queueNames, queueSettings, type CallQueues } from './call-queues.js';
import { configFiles, readConfig, type Surroundings } from './config-files.js';
import { channelSettings, reachOf, reachSettings } from './channels.js';
import { onFailureOf } from './failure-question.js';
import { fixturesOf, type FixturesSetting } from './fixtures.js';
import { codecOf, codecSetting } from './worker-settings.js';
import { ofWorkerFolders, toolPolicyOf, workerToolsOf, type WorkerTools } from './tool-settings.js';
import { ineffective, runSettings, workerVariables, ownVariables } from './settings.js';
import { tenantBudgetsOf, tenantBudgetsSetting } from './tenant-budgets.js';
import { readBudget, stricterBudget, type Budget } from '../contract/budgets/budget.js';
import type { TenantBudgets } from '../contract/budgets/tenant-budget.js';

export interface Configuration {
  /** What goes with the runs that are started. */
  settings: RunSettings;
  /** Keys of model providers and their like, as environment variables; those that are set already are left out. */
  variables: Record<string, string>;
  /** What the files that hold for all procedures say of tools, for a worker. */
  tools: WorkerTools;
  callQueues: CallQueues;
  /** What all runs of a tenant may use together. */
  tenantBudgets: TenantBudgets;
  /** What they say of `serve`; it is checked when that is used. */
  server: JsonObject;
  /** What they say of workers; it is checked when that is used. */
  worker: JsonObject;
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
  const configs = await Promise.all(files.map((file) => readConfig(file, workingFolder)));
  // Each by itself first: what is wrong is told with its file.
  for (const { file, config } of configs) runSettings(config, file);
  const provider = env['TACTUS_DEFAULT_PROVIDER'] ?? '';
  const ofEnvironment = {
    file: 'the environment',
    config: provider === '' ? {} : { default_provider: provider },
  };
  const ordered: { file: string; config: JsonObject }[] = [...configs];
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
  const callQueues = callQueuesOf(ofFolders);
  const groups = groupsOf(ofFolders);
  const server = ofFolders.map((each) => serviceOf(each, serverSetting)).reduce(mergeConfig, {});
  const worker = ofFolders.map((each) => serviceOf(each, workerSetting)).reduce(mergeConfig, {});
  const authorityKeys = authorityKeysOf(ofFolders);
  const links = authorityLinksOf(ofFolders, authorityKeys);
  const reach = reachOf(ofFolders);
  assertLinks(reach, links !== null);
  const isSigned = Object.keys(authorityKeys).length > 0;
  return {
    settings: {
      ...runSettings(merged, 'the configuration'),
      ...(toolPolicy === null ? {} : { toolPolicy }),
      ...(budget === null ? {} : { budget }),
      ...(onFailure === null ? {} : { onFailure }),
      ...(isSigned ? { signedDecisions: true } : {}),
      ...channelSettings(reach.channels),
      ...queueNames(callQueues),
      ...(Object.keys(groups).length === 0 ? {} : { groups }),
    },
    tools: workerToolsOf(ofFolders),
    callQueues,
    tenantBudgets: tenantBudgetsOf(ofFolders),
    server,
    worker,
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
    ...queueSettings,
    ...[tenantBudgetsSetting, groupsSetting, serverSetting, workerSetting, authoritySetting, codecSetting],
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
export function budgetOf(configs: readonly { file: string; config: JsonObject }[]): Budget | null {
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
