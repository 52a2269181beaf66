import { toolPolicyOf, workerToolsOf } from './tool-settings.js';
import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { closest } from '../validation/program/did-you-mean.js';
import {
  authorityKeysOf,
  authorityLinksOf,
  groupsOf,
  groupsSetting,
  serverSetting,
  serviceOf,
  workerSetting,
} from './authority.js';
import { configFiles, readConfig, type ConfigFile, type Surroundings } from './config-files.js';
import { reachOf, reachSettings } from './channels.js';
import { onFailureOf } from './failure-question.js';
import { fixturesOf } from './fixtures.js';
import { budgetOf, loadConfiguration } from './load-configuration.js';
import type { SettingProblem } from './setting-values.js';
import { exampleOf } from './setting-examples.js';
import {
  ineffective,
  knownSettings,
  ownVariables,
  runSettings,
  workerVariables,
  withoutEffect,
} from './settings.js';
import { callQueuesOf, queueSettings } from './call-queues.js';
import { tenantBudgetsOf, tenantBudgetsSetting } from './tenant-budgets.js';
import { codecOf } from './worker-settings.js';

/** Something that is wrong with the configuration, or that does nothing. */
export interface ConfigProblem {
  severity: 'error' | 'warning';
  /** null: it isn't in a file. */
  file: string | null;
  line: number | null;
  /** Names of settings with dots, or the name of a variable. */
  setting: string | null;
  message: string;
  /** The line that mends it, or what to do. */
  advice: string;
}

/** What checks the tables `server` and `worker`, whose rooms know them. */
export type ServiceChecks = Record<'server' | 'worker', (given: JsonObject) => SettingProblem[]>;

type Reader = (configs: { file: string; config: JsonObject }[]) => unknown;

/** Each refuses what it can't read. */
const readers: readonly Reader[] = [
  (configs) => configs.map(({ file, config }) => runSettings(config, file)),
  (configs) => configs.map(({ file, config }) => workerVariables(config, file)),
  (configs) => configs.map(({ file, config }) => ownVariables(config, file)),
  toolPolicyOf,
  workerToolsOf,
  budgetOf,
  onFailureOf,
  callQueuesOf,
  tenantBudgetsOf,
  groupsOf,
  authorityKeysOf,
  (configs) => authorityLinksOf(configs, authorityKeysOf(configs)),
  (configs) => configs.map((each) => serviceOf(each, serverSetting)),
  (configs) => configs.map((each) => serviceOf(each, workerSetting)),
  reachOf,
  codecOf,
  (configs) => fixturesOf(configs, new Set(configs.map(({ file }) => file)), process.cwd()),
];

/** Tables whose members have nothing to do with each other: all that is wrong in them is told, and not the first alone. */
const ofIndependent: readonly string[] = [
  ...reachSettings.filter((name) => name !== 'public_url'),
  ...queueSettings,
  tenantBudgetsSetting,
  ...['mcp_servers', 'outside_agents', 'prices', groupsSetting],
];

/** All that is wrong with the files that hold for all procedures. */
export async function inspectConfiguration(
  surroundings: Surroundings,
  checks: ServiceChecks,
): Promise<{ files: ConfigFile[]; problems: ConfigProblem[] }> {
  const files: ConfigFile[] = [];
  const problems: ConfigProblem[] = [];
  for (const file of configFiles(null, surroundings).folders) {
    try {
      const read = await readConfig(file, surroundings.workingFolder);
      files.push(read);
      problems.push(...(await problemsOf(read, checks)));
    } catch (error) {
      problems.push(brokenFile(file, error));
    }
  }
  if (problems.every(({ severity }) => severity === 'warning'))
    problems.push(...(await togetherProblems(surroundings)));
  return { files, problems };
}

function brokenFile(file: string, error: unknown): ConfigProblem {
  if (!(error instanceof TactusError)) throw error;
  const line = error.toRunError().line;
  return {
    ...{ severity: 'error', file, line, setting: null, message: withoutPlace(error.message, file) },
    advice: 'write YAML, a setting in each line, such as: default_model: gpt-5-mini',
  };
}

async function problemsOf(
  { file, config, lineOf }: ConfigFile,
  checks: ServiceChecks,
): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const add = (path: readonly string[], message: string): void => {
    const setting = path.join('.');
    const isTold = problems.some((each) => each.setting === setting && each.message === message);
    if (isTold) return;
    const advice = exampleOf(path);
    problems.push({ severity: 'error', file, line: lineOf(path), setting, message, advice });
  };
  for (const [name, value] of Object.entries(config)) {
    if (withoutEffect.includes(name)) {
      const message = `${name} has no effect here`;
      problems.push({
        severity: 'warning',
        file,
        line: lineOf([name]),
        setting: name,
        message,
        advice: `remove ${name}`,
      });
      continue;
    }
    if (ineffective({ [name]: value }, file).length > 0) {
      const meant = closest(name, knownSettings);
      const advice =
        meant === null ? `remove ${name}` : `write ${meant} in place of ${name}: ${exampleOf([meant])}`;
      const message = `there is no setting ${name}`;
      problems.push({ severity: 'error', file, line: lineOf([name]), setting: name, message, advice });
      continue;
    }
    const parts = ofIndependent.includes(name) && isObject(value) ? Object.entries(value) : [];
    const looked = parts.length === 0 ? [value] : parts.map(([member, given]) => ({ [member]: given }));
    for (const part of looked)
      for (const reader of readers) {
        const problem = await refusal(() => reader([{ file, config: { [name]: part } }]));
        if (problem !== null) add(pathIn(problem, file, config) ?? [name], withoutPlace(problem, file));
      }
    if ((name === serverSetting || name === workerSetting) && isObject(value))
      for (const { path, message } of checks[name](value))
        add([name, ...path], `${[name, ...path].join('.')}: ${message}`);
  }
  return problems;
}

async function refusal(read: () => unknown): Promise<string | null> {
  try {
    await read();
    return null;
  } catch (error) {
    if (error instanceof TactusError) return error.message;
    throw error;
  }
}

/** What only shows when the files are read together, such as a link without a key. */
async function togetherProblems(surroundings: Surroundings): Promise<ConfigProblem[]> {
  const message = await refusal(() => loadConfiguration(null, surroundings));
  if (message === null) return [];
  const setting = /[a-z_]+(?:\.[a-z_]+)+/.exec(message)?.[0] ?? null;
  const advice = setting === null ? 'correct the setting that it names' : exampleOf(setting.split('.'));
  return [{ severity: 'error', file: null, line: null, setting, message, advice }];
}

/** `a.yml: server.port must be …` or `a.yml:3: …` without what stands before it. */
function withoutPlace(message: string, file: string): string {
  return message.startsWith(file)
    ? message
        .slice(file.length)
        .replace(/^:\d+(?=:)/, '')
        .replace(/^:? /, '')
    : message;
}

/** The settings that a message names behind its file, as far as the file has them. */
function pathIn(message: string, file: string, config: JsonObject): string[] | null {
  const path: string[] = [];
  let at: JsonValue | undefined = config;
  let rest = withoutPlace(message, file);
  while (at !== undefined && isObject(at)) {
    const names: string[] = Object.keys(at).filter((name) => rest.startsWith(name));
    const longest = names.reduce((one, other) => (other.length > one.length ? other : one), '');
    if (longest === '') break;
    path.push(longest);
    at = getOwn(at, longest);
    rest = rest.slice(longest.length).replace(/^[.:[\s]+(?:has the unknown field )?/, '');
  }
  return path.length === 0 ? null : path;
}
