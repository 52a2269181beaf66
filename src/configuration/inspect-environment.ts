import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  healthVariable,
  indexVariable,
  logFormats,
  logFormatVariable,
  logLevels,
  logLevelVariable,
  metricsVariable,
  readLogFormat,
  readLogLevel,
  storageVariable,
  streamsVariable,
  type Environment,
} from '../contract/environment.js';
import { filesFolderVariable } from '../contract/files/data-file.js';
import { getOwn, isObject, type JsonValue } from '../contract/json/json.js';
import { indexAddressRule, readIndexAddress } from '../contract/lists/index-address.js';
import { pricesVariable } from '../contract/models/model-call.js';
import {
  modelMemoryVariable,
  modelsFolderVariable,
  readMemory,
  trustedModelsVariable,
  warmModelsVariable,
} from '../contract/predictions/loaded-models.js';
import { isPayloadBucket, payloadAddressForm, payloadsVariable } from '../contract/payloads/payload-place.js';
import { corporaFolderVariable, indexesFolderVariable } from '../contract/retrieval/retrieval.js';
import { TactusError } from '../contract/errors.js';
import { readTraceSettings } from '../traces/index.js';
import { storageKind, storageKinds } from '../contract/storage/storage-place.js';
import { closest } from '../validation/program/did-you-mean.js';
import type { ConfigFile, Surroundings } from './config-files.js';
import type { ConfigProblem } from './inspect-configuration.js';
import { readListenAddress } from './setting-values.js';

type Rule = (value: string) => string | null;

const isFolder: Rule = (value) =>
  statSync(value, { throwIfNoEntry: false })?.isDirectory() === false ? 'is no folder' : null;
const payloadAddress =
  /^s3:(\/\/)?[\w.-]{3,255}(\/[^?#]*)?(\?(region=[^&#]*|endpoint=https?:\/\/[^&#@]+)(&(region=[^&#]*|endpoint=https?:\/\/[^&#@]+))*)?$/;
const isPayloadPlace: Rule = (value) => {
  if (!isPayloadBucket(value)) return isFolder(value);
  return payloadAddress.test(value) ? null : `must be a folder, or ${payloadAddressForm}`;
};
const isThere: Rule = (value) =>
  statSync(value, { throwIfNoEntry: false })?.isDirectory() === true
    ? null
    : 'names a folder that is not there';
const isJson: Rule = (value) => {
  try {
    JSON.parse(value);
    return null;
  } catch {
    return 'must be JSON';
  }
};
const isAddress: Rule = (value) =>
  readListenAddress(value) === null ? 'must be a port, or an address and a port' : null;
const anything: Rule = () => null;

/** Variables of ours, what is wrong with a value, and one that is right. */
export const ownVariables: Readonly<Record<string, { problem: Rule; example: string }>> = {
  [streamsVariable]: {
    problem: (value) => (/^(nats|tls):\/\/\S+$/.test(value) ? null : 'must be the address of a NATS server'),
    example: 'nats://127.0.0.1:4222',
  },
  [storageVariable]: {
    problem: (value) =>
      storageKind(value) === null
        ? `must begin with one of ${storageKinds.map((kind) => `${kind}:`).join(', ')}`
        : null,
    example: 'sqlite:runs.sqlite',
  },
  [indexVariable]: {
    problem: (value) => (readIndexAddress(value) === null ? indexAddressRule : null),
    example: 'runs.sqlite',
  },
  [modelMemoryVariable]: {
    problem: (value) => (readMemory(value) === null ? 'must be a size such as 500MB or 4GB' : null),
    example: '4GB',
  },
  [filesFolderVariable]: { problem: isFolder, example: 'data' },
  [modelsFolderVariable]: { problem: isThere, example: 'models' },
  [corporaFolderVariable]: { problem: isThere, example: 'corpora' },
  [indexesFolderVariable]: { problem: isFolder, example: 'indexes' },
  [warmModelsVariable]: { problem: isJson, example: '[{"type":"onnx","path":"iris.onnx"}]' },
  [trustedModelsVariable]: { problem: isJson, example: '["vetted"]' },
  [pricesVariable]: { problem: isJson, example: '{"openai/my-model":{"input":0.5,"output":2}}' },
  [logFormatVariable]: {
    problem: (value) => (readLogFormat(value) === null ? `must be one of ${logFormats.join(', ')}` : null),
    example: 'json',
  },
  [logLevelVariable]: {
    problem: (value) => (readLogLevel(value) === null ? `must be one of ${logLevels.join(', ')}` : null),
    example: 'warn',
  },
  [healthVariable]: { problem: isAddress, example: '0.0.0.0:8701' },
  [metricsVariable]: { problem: isAddress, example: '0.0.0.0:9464' },
  [payloadsVariable]: { problem: isPayloadPlace, example: 'payloads' },
  TACTUS_TEMPORAL_PYTHON: {
    problem: (value) =>
      statSync(value, { throwIfNoEntry: false }) === undefined ? 'names a program that is not there' : null,
    example: '.venv/bin/python',
  },
  TACTUS_TEMPORAL_SERVER_IDLE: {
    problem: (value) => (/^\d+(\.\d+)?(ms|s|m|h|d)?$/.test(value) ? null : 'must be a time such as 1h, or 0'),
    example: '1h',
  },
  TACTUS_TEMPORAL_CACHE: { problem: isFolder, example: '.cache' },
  TACTUS_TEMPORAL_LAUNCHED: { problem: anything, example: '1' },
  TACTUS_TEMPORAL_STARTED_AS: { problem: anything, example: 'tactus-temporal' },
};

/** Variables that begin so are ours alone: one that we don't know is misspelt. */
const prefix = 'TACTUS_TEMPORAL_';
const isSecret = /(?:_API_KEY|_TOKEN|_SECRET|_PASSWORD)$/;

/** What is wrong with the variables of the environment. No value is told: it may be a secret. */
export function inspectEnvironment({ env }: Surroundings): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const add = (setting: string, message: string, advice: string): void => {
    problems.push({
      severity: 'error',
      file: null,
      line: null,
      setting,
      message: `${setting} ${message}`,
      advice,
    });
  };
  for (const [name, value = ''] of Object.entries(env)) {
    if (value === '') continue;
    if (name.endsWith('_FILE') && isSecret.test(name.slice(0, -'_FILE'.length))) {
      const wrong = fileProblem(value);
      if (wrong !== null) add(name, wrong, `let ${name} name a file that has the secret and nothing else`);
      const plain = name.slice(0, -'_FILE'.length);
      if ((env[plain] ?? '') !== '')
        add(name, `is set, and ${plain} too: it is not clear which one counts`, `unset ${plain}, or ${name}`);
      continue;
    }
    if (isSecret.test(name) && (value !== value.trim() || /^(["']).*\1$/.test(value) || /[\r\n]/.test(value)))
      add(
        name,
        'has quotes, a space or a line break around it, which are sent too',
        `set ${name} to the secret alone`,
      );
    if (!name.startsWith(prefix)) continue;
    const own = getOwn(ownVariables, name);
    if (own === undefined) {
      const meant = closest(name, Object.keys(ownVariables));
      add(
        name,
        'is no variable of tactus-temporal',
        meant === null ? `unset ${name}` : `set ${meant}=${ownVariables[meant]?.example ?? ''}`,
      );
      continue;
    }
    const wrong = own.problem(value);
    if (wrong !== null) add(name, wrong, `set ${name}=${own.example}`);
  }
  const traces = traceProblem(env);
  if (traces !== null) add(...traces);
  return problems;
}

/** What is wrong with OpenTelemetry's variables, as far as they are read here. */
function traceProblem(env: Environment): [setting: string, message: string, advice: string] | null {
  try {
    readTraceSettings(env);
    return null;
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    const [, setting = '', message = ''] = /^(\S+) (.*)$/s.exec(error.message) ?? [];
    return [setting, message, `unset ${setting}, or set it to what docs/production/traces.md lists`];
  }
}

function fileProblem(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() === '' ? 'names a file that is empty' : null;
  } catch (error) {
    return `names a file that can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
  }
}

/** Settings that name a variable with a secret. */
const ofVariables = [
  'server.tokens.*.secret',
  'server.signing.secret',
  'server.webhooks.*.secret',
  'authority.keys.*.hmac',
  'authority.links.secret',
  'webhook_hosts.*',
  'codec.encryption.keys.*',
  'channels.*.slack.url',
  'channels.*.teams.url',
  'channels.*.webhook.secret',
  'channels.*.email.password',
];

/** Settings that name a file which must be there, from the working folder. */
const ofFiles = ['server.signing.file', 'authority.links.file', 'codec.module', 'tool_modules.*'];

/** Settings that name a folder which must be there. */
const ofFolders = ['server.procedures.*', 'models_folder', 'corpora_folder', 'fixtures_folder'];

/** What the files name that isn't there: variables, files and folders. */
export function inspectNamed(
  files: readonly ConfigFile[],
  { env, workingFolder }: Surroundings,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const { file, config, lineOf } of files) {
    const look = (patterns: readonly string[], judge: (value: string) => [string, string] | null): void => {
      for (const { path, value } of patterns.flatMap((pattern) => valuesAt(config, pattern.split('.')))) {
        const [message, advice] = judge(value) ?? [];
        if (message === undefined || advice === undefined) continue;
        const setting = path.join('.');
        problems.push({
          severity: 'error',
          file,
          line: lineOf(path),
          setting,
          message: `${setting} ${message}`,
          advice,
        });
      }
    };
    look(ofVariables, (name) =>
      !/^[A-Za-z_]\w*$/.test(name) || (env[name] ?? '') !== '' || (env[`${name}_FILE`] ?? '') !== ''
        ? null
        : [
            `names the variable ${name}, which isn't set`,
            `set ${name}, or ${name}_FILE to a file that has it`,
          ],
    );
    look(ofFiles, (path) => {
      const code = accessProblem(resolve(workingFolder, path));
      return code === null
        ? null
        : [`names ${path}, which can't be read (${code})`, `put the file at ${path}, or name another one`];
    });
    look(ofFolders, (path) =>
      isThere(resolve(workingFolder, path)) === null
        ? null
        : [`names ${path}, and there is no such folder`, `mkdir ${path}`],
    );
  }
  return problems;
}

function accessProblem(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** The texts that stand at a place, `*` standing for each name and each place in a list. */
function valuesAt(
  value: JsonValue,
  pattern: readonly string[],
  path: string[] = [],
): { path: string[]; value: string }[] {
  const [first, ...rest] = pattern;
  if (first === undefined) return typeof value === 'string' ? [{ path, value }] : [];
  if (Array.isArray(value))
    return first === '*' ? value.flatMap((each, i) => valuesAt(each, rest, [...path, String(i)])) : [];
  if (!isObject(value)) return [];
  const names = first === '*' ? Object.keys(value) : [first];
  return names.flatMap((name) => {
    const member = getOwn(value, name);
    return member === undefined ? [] : valuesAt(member, rest, [...path, name]);
  });
}
