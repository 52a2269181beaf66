import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { ActivityDeps } from '../activities/index.js';
import { checkModel, type ModelChoice, providers, wayOf } from '../activities/models/index.js';
import type { Environment } from '../contract/environment.js';
import { TactusError } from '../contract/errors.js';
import { getOwn, type JsonValue } from '../contract/json/json.js';
import type { CodecSettings } from '../contract/payloads/codec-settings.js';
import { isPayloadBucket } from '../contract/payloads/payload-place.js';
import {
  modelMemoryVariable,
  modelsFolderVariable,
  readMemory,
  readTrustedModels,
  readWarmModels,
  trustedModelsVariable,
  warmModelsVariable,
  type WarmModel,
} from '../contract/predictions/loaded-models.js';
import { corporaFolderVariable, indexesFolderVariable } from '../contract/retrieval/retrieval.js';
import { storageKind, storagePath } from '../contract/storage/storage-place.js';
import type { ToolConfiguration } from './tools/configured-tools.js';

export { overlap } from '../activities/predictions/served/model-place.js';

/**
 * Where a worker's prediction models lie, and how much of them it loads at once, as the environment says.
 * @throws TactusError config_invalid for a size that is none
 */
export function modelSettings(
  env: Environment,
  workingFolder: string,
): Pick<ActivityDeps, 'modelsFolder' | 'modelMemoryBytes'> {
  const { [modelsFolderVariable]: folder = '', [modelMemoryVariable]: memory = '' } = env;
  const bytes = readMemory(memory);
  if (memory !== '' && bytes === null)
    throw new TactusError('config_invalid', `${modelMemoryVariable} must be a size such as 500MB or 4GB`);
  return {
    ...(folder === '' ? {} : { modelsFolder: resolve(workingFolder, folder) }),
    ...(bytes === null ? {} : { modelMemoryBytes: bytes }),
  };
}

/**
 * What a worker in Python may read though it can run code, as the environment says.
 * @throws TactusError config_invalid where it says something else
 */
export function trustedModelsOf({ [trustedModelsVariable]: text = '' }: Environment): string[] {
  return text.trim() === ''
    ? []
    : readTrustedModels(parsed(text, trustedModelsVariable), trustedModelsVariable);
}

/**
 * Models that the environment wants in memory before the first question.
 * @throws TactusError config_invalid where it says something else
 */
export function warmModelsOf({ [warmModelsVariable]: text = '' }: Environment): WarmModel[] {
  if (text.trim() === '') return [];
  return readWarmModels(parsed(text, warmModelsVariable), warmModelsVariable);
}

function parsed(text: string, variable: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new TactusError('config_invalid', `${variable} must be a list as JSON`);
  }
}

/** Where a worker's corpora lie, and where it keeps their indexes, as the environment says. */
export function corporaSettings(
  env: Environment,
  workingFolder: string,
): Pick<ActivityDeps, 'corporaFolder' | 'indexesFolder'> {
  const { [corporaFolderVariable]: corpora = '', [indexesFolderVariable]: indexes = '' } = env;
  return {
    ...(corpora === '' ? {} : { corporaFolder: resolve(workingFolder, corpora) }),
    ...(indexes === '' ? {} : { indexesFolder: resolve(workingFolder, indexes) }),
  };
}

/**
 * What the named models (null: the default) stand for in this environment.
 * @throws TactusError missing_key, missing_package, unknown_model
 */
export function checkModels(models: readonly (string | null)[], env: NodeJS.ProcessEnv): ModelChoice[] {
  return models.map((model) => checkModel(model, env));
}

/** The variables of this environment that hold keys of providers, by their names. */
export function keysSet(env: NodeJS.ProcessEnv): string[] {
  return providers.flatMap(({ key }) => (key === null ? [] : (wayOf(key, env) ?? [])));
}

interface ProtectedPlaces {
  tools: Pick<ToolConfiguration, 'toolModules' | 'mcpServers'>;
  storage: string | null;
  index: string | null;
  payloads: string | null;
  codec: Pick<CodecSettings, 'module' | 'encryption'>;
  env: Environment;
}

/** Variables that name a file of keys, certificates or secrets: `OPENAI_API_KEY_FILE`, `TEMPORAL_TLS_CLIENT_KEY_PATH`. */
const namesFile = /_(FILE|PATH|CREDENTIALS)$/;

/**
 * The files and folders that no procedure may read or write, wherever its folder of files is: what the worker loads and
 * starts, what it keeps, and what its environment names. Absolute paths.
 */
export function protectedPaths(
  { tools, storage, index, payloads, codec, env }: ProtectedPlaces,
  workingFolder: string,
): string[] {
  const { toolModules, mcpServers = {} } = tools;
  const started = Object.values(mcpServers).flatMap((server) =>
    'command' in server
      ? [server.command, ...(server.args ?? [])].map((word) =>
          resolve(workingFolder, server.cwd ?? '.', word),
        )
      : [],
  );
  const folders = [modelsFolderVariable, indexesFolderVariable].map((name) => getOwn(env, name) ?? '');
  const named = Object.keys(env).flatMap((name) => (namesFile.test(name) ? (getOwn(env, name) ?? '') : []));
  return [
    ...[
      ...toolModules,
      ...folders,
      payloads === null || isPayloadBucket(payloads) ? '' : payloads,
      codec.module ?? '',
      codec.encryption?.subjects?.folder ?? '',
      ofAddress(storage),
      ofAddress(index),
    ]
      .filter((path) => path !== '')
      .map((path) => resolve(workingFolder, path)),
    // An argument may be a folder that the server is to share with procedures.
    ...[...started, ...named.map((path) => resolve(workingFolder, path))].filter(isFile),
  ];
}

/** What activities get of an environment: keys of payloads are for the codec alone, and a procedure can name the variables of secrets. */
export function withoutPayloadKeys(
  env: Environment,
  { encryption }: Pick<CodecSettings, 'encryption'>,
): Environment {
  const names = Object.values(encryption?.keys ?? {});
  const kept = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  if (kept.size === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !kept.has(name)));
}

/** The path in an address of a file or a folder; empty for one of something else. */
function ofAddress(address: string | null): string {
  if (address === null) return '';
  const path = storagePath(address);
  if (path !== null) return path;
  return storageKind(address) === null && (isAbsolute(address) || !/^[a-z][\w+.-]+:/i.test(address))
    ? address
    : '';
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
