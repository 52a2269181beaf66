import { TactusError } from '../contract/errors.js';
import { readDuration } from '../contract/time/duration.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import type { RunSettings } from '../contract/runs/run-settings.js';
import { corporaFolderVariable, indexesFolderVariable } from '../contract/retrieval/retrieval.js';
import { indexAddressRule, readIndexAddress } from '../contract/lists/index-address.js';
import {
  indexVariable,
  logFormatVariable,
  logLevelVariable,
  storageVariable,
  streamsVariable,
} from '../contract/environment.js';
import { filesFolderVariable } from '../contract/files/data-file.js';
import { isPrice, pricesVariable } from '../contract/models/model-call.js';
import {
  modelMemoryVariable,
  modelsFolderVariable,
  readMemory,
  readTrustedModels,
  readWarmModels,
  trustedModelsVariable,
  warmModelsVariable,
} from '../contract/predictions/loaded-models.js';
import { fixturesSetting } from './fixtures.js';
import { authoritySetting, groupsSetting, serverSetting, workerSetting } from './authority.js';
import { reachSettings } from './channels.js';
import { onFailureSetting } from './failure-question.js';
import { queueSettings } from './call-queues.js';
import { codecSetting, storageAddress } from './worker-settings.js';
import { tenantBudgetsSetting } from './tenant-budgets.js';
import { ofWorkerFolders, trustedModelsSetting } from './tool-settings.js';
import { closest } from '../validation/program/did-you-mean.js';

/** What goes with a run, and the type that it must have. */
const ofRuns = {
  strict_determinism: { setting: 'strictDeterminism', type: 'boolean' },
  default_model: { setting: 'defaultModel', type: 'string' },
  default_provider: { setting: 'defaultProvider', type: 'string' },
  retries: { setting: 'retries', type: 'count' },
  model_calls: { setting: 'modelCalls', type: 'calls' },
  request_timeout: { setting: 'requestTimeoutMs', type: 'duration' },
  idle_timeout: { setting: 'idleTimeoutMs', type: 'duration' },
  show_content: { setting: 'showContent', type: 'boolean' },
} as const;

/** What stands for an environment variable of the worker, with dots for tables. */
const ofWorkers = {
  openai_api_key: 'OPENAI_API_KEY',
  streams: streamsVariable,
  index: indexVariable,
  storage: storageVariable,
  log_format: logFormatVariable,
  log_level: logLevelVariable,
  models_folder: modelsFolderVariable,
  model_memory: modelMemoryVariable,
  corpora_folder: corporaFolderVariable,
  indexes_folder: indexesFolderVariable,
  'openai.api_key': 'OPENAI_API_KEY',
  'openai.base_url': 'OPENAI_BASE_URL',
  anthropic_api_key: 'ANTHROPIC_API_KEY',
  'anthropic.api_key': 'ANTHROPIC_API_KEY',
  'anthropic.base_url': 'ANTHROPIC_BASE_URL',
  google_api_key: 'GOOGLE_API_KEY',
  'google.api_key': 'GOOGLE_API_KEY',
  'mistral.api_key': 'MISTRAL_API_KEY',
  'groq.api_key': 'GROQ_API_KEY',
  'xai.api_key': 'XAI_API_KEY',
  'openrouter.api_key': 'OPENROUTER_API_KEY',
  'ollama.base_url': 'OLLAMA_BASE_URL',
  'ollama.api_key': 'OLLAMA_API_KEY',
  'vllm.base_url': 'VLLM_BASE_URL',
  'vllm.api_key': 'VLLM_API_KEY',
  'azure.api_key': 'AZURE_API_KEY',
  'azure.base_url': 'AZURE_BASE_URL',
  'azure.resource_name': 'AZURE_RESOURCE_NAME',
  'aws.access_key_id': 'AWS_ACCESS_KEY_ID',
  'aws.secret_access_key': 'AWS_SECRET_ACCESS_KEY',
  'aws.region': 'AWS_REGION',
  'aws.default_region': 'AWS_DEFAULT_REGION',
} as const;

/** What a model costs, for the worker: its name, and US dollars for a million tokens. */
const pricesSetting = 'prices';

/** The same, in the files that hold for all procedures alone: whoever writes a procedure doesn't say what is kept from it. */
const ofWorkersOwn = { files_folder: filesFolderVariable } as const;

/** Models that a worker loads before it is asked. */
const warmModelsSetting = 'warm_models';

/** The reference has these, and a procedure might count on them: nothing here follows from them. */
export const withoutEffect = ['tool_paths', 'broker_mcp_servers', 'toolsets', 'default_toolsets'];

/** Tables of providers: their keys and addresses are variables of the worker. */
export const providerTables = [
  ...new Set(
    Object.keys(ofWorkers).flatMap((path) => (path.includes('.') ? [path.slice(0, path.indexOf('.'))] : [])),
  ),
];

/** Tables that are about the reference's own parts. */
const ofReference = [
  ...['sandbox', 'notifications'],
  ...['control', 'ide', 'gui', 'dependency_mode', 'logging'],
];

export const knownSettings = [
  pricesSetting,
  warmModelsSetting,
  'tool_policy',
  'budget',
  onFailureSetting,
  ...queueSettings,
  tenantBudgetsSetting,
  groupsSetting,
  serverSetting,
  workerSetting,
  authoritySetting,
  fixturesSetting,
  codecSetting,
  ...reachSettings,
  ...ofWorkerFolders,
  ...Object.keys(ofRuns),
  ...Object.keys(ofWorkers),
  ...withoutEffect,
  ...providerTables,
  ...ofReference,
];

/**
 * The settings for a run among those of a file, or of several merged.
 * @throws TactusError config_invalid where one has the wrong type
 */
export function runSettings(config: JsonObject, file: string): RunSettings {
  const settings: JsonObject = {};
  for (const [name, { setting, type }] of Object.entries(ofRuns)) {
    const value = getOwn(config, name);
    if (value === undefined || value === null) continue;
    if (type === 'duration') settings[setting] = readDuration(value, `${file}: ${name}`, 'config_invalid');
    else {
      assertType(value, type, name, file);
      settings[setting] = value;
    }
  }
  return settings;
}

/**
 * Environment variables that a file stands for.
 * @throws TactusError config_invalid where one isn't text, or names no storage; its value isn't told
 */
export function workerVariables(config: JsonObject, file: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [path, variable] of Object.entries(ofWorkers)) {
    const [first = '', second] = path.split('.');
    const outer = getOwn(config, first);
    const value = second === undefined ? outer : isObject(outer) ? getOwn(outer, second) : undefined;
    if (value === undefined || value === null) continue;
    if (variable === storageVariable) {
      variables[variable] = storageAddress(value, file);
      continue;
    }
    if (typeof value !== 'string')
      throw new TactusError('config_invalid', `${file}: ${path} must be text`, { file });
    if (variable === indexVariable && readIndexAddress(value) === null)
      throw new TactusError('config_invalid', `${file}: index ${indexAddressRule}`, { file });
    if (variable === modelMemoryVariable && readMemory(value) === null)
      throw new TactusError('config_invalid', `${file}: ${path} must be a size such as 500MB or 4GB`, {
        file,
      });
    variables[variable] = value;
  }
  const prices = getOwn(config, pricesSetting) ?? null;
  if (prices !== null) variables[pricesVariable] = JSON.stringify(checkedPrices(prices, file));
  const warm = getOwn(config, warmModelsSetting) ?? null;
  if (warm !== null) {
    readWarmModels(warm, `${file}: ${warmModelsSetting}`);
    variables[warmModelsVariable] = JSON.stringify(warm);
  }
  return variables;
}

/**
 * Environment variables that a file stands for which holds for all procedures, beside `workerVariables`.
 * @throws TactusError config_invalid
 */
export function ownVariables(config: JsonObject, file: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, variable] of Object.entries(ofWorkersOwn)) {
    const value = getOwn(config, name) ?? null;
    if (value === null) continue;
    assertType(value, 'string', name, file);
    variables[variable] = value as string;
  }
  const trusted = getOwn(config, trustedModelsSetting) ?? null;
  if (trusted !== null)
    variables[trustedModelsVariable] = JSON.stringify(
      readTrustedModels(trusted, `${file}: ${trustedModelsSetting}`),
    );
  return variables;
}

/** @throws TactusError config_invalid */
function checkedPrices(prices: JsonValue, file: string): JsonObject {
  const wrong = (what: string): TactusError =>
    new TactusError(
      'config_invalid',
      `${file}: ${what} must be {input: 0.25, output: 2}, US dollars for a million tokens`,
      { file },
    );
  if (!isObject(prices)) throw wrong('prices: each model');
  for (const [model, price] of Object.entries(prices)) if (!isPrice(price)) throw wrong(`prices: ${model}`);
  return prices;
}

/** What a file says that has no effect, in words. */
export function ineffective(config: JsonObject, file: string): string[] {
  return Object.keys(config).flatMap((name) => {
    if (withoutEffect.includes(name)) return [`${file}: ${name} has no effect here`];
    if (knownSettings.includes(name)) return [];
    const meant = closest(name, knownSettings);
    return [`${file}: there is no setting ${name}${meant === null ? '' : `; is ${meant} meant?`}`];
  });
}

const expectations = {
  boolean: 'true or false',
  string: 'text',
  count: 'an integer from 0 to 100',
  calls: 'an integer, 0 for no limit',
};

function assertType(value: JsonValue, type: keyof typeof expectations, name: string, file: string): void {
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;
  const isCalls = Number.isInteger(value) && Number(value) >= 0;
  if (type === 'count' ? isCount : type === 'calls' ? isCalls : typeof value === type && value !== '') return;
  const expected = expectations[type];
  throw new TactusError(
    'config_invalid',
    `${file}: ${name} must be ${expected}, got ${JSON.stringify(value)}`,
    {
      file,
    },
  );
}
