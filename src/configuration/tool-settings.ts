import { readDuration } from '../contract/time/duration.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import {
  agentProtocols,
  type McpServerConfig,
  type OutsideAgentConfig,
} from '../contract/tools/tool-servers.js';
import type { EffectClass } from '../contract/tools/outside-tool.js';
import { policyActions, readToolPolicy, type ToolPolicy } from '../contract/tools/tool-policy.js';
import { profiles, readRule, type EgressPolicy, type Profile } from '../egress/egress-policy.js';
import { configInvalid, readText, readTexts, readTable, readEffect } from './setting-values.js';

/** Whom a worker may ask. */
const egressSetting = 'egress';

const knownFields = ['profile', 'allow', 'deny'];
const ofRules = ['host', 'cidr', 'port'];

/**
 * What several files say of whom a worker may ask, together: all of their rules, and the strictest profile; null where none says anything.
 * @throws TactusError config_invalid
 */
export function egressPolicyOf(
  configs: readonly { file: string; config: JsonObject }[],
): EgressPolicy | null {
  const policies = configs.flatMap(({ file, config }) => {
    const given = getOwn(config, egressSetting) ?? null;
    return given === null ? [] : [readPolicy(given, `${file}: ${egressSetting}`)];
  });
  if (policies.length === 0) return null;
  return {
    profile: policies.some(({ profile }) => profile === 'production') ? 'production' : 'development',
    allow: policies.flatMap(({ allow }) => allow),
    deny: policies.flatMap(({ deny }) => deny),
  };
}

function readPolicy(given: JsonValue, where: string): Required<EgressPolicy> {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with profile, allow and deny`);
  const odd = Object.keys(given).find((key) => !knownFields.includes(key));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${knownFields.join(', ')}`);
  const { profile = null, allow = [], deny = [] } = given;
  return {
    profile: profile === null ? 'development' : readProfile(profile, `${where}.profile`),
    allow: readRules(allow, `${where}.allow`),
    deny: readRules(deny, `${where}.deny`),
  };
}

function readProfile(given: JsonValue, where: string): Profile {
  const profile = profiles.find((each) => each === given);
  if (profile === undefined) throw configInvalid(`${where} must be one of ${profiles.join(', ')}`);
  return profile;
}

function readRules(given: JsonValue, where: string): string[] {
  return [given].flat().map((rule) => {
    const text = isObject(rule) ? ruleText(rule, where) : readText(rule, where);
    readRule(text, where);
    return text;
  });
}

/** `{host: …, port: …}` and `{cidr: …, port: …}`, as they are written in one line. */
function ruleText(rule: JsonObject, where: string): string {
  const odd = Object.keys(rule).find((key) => !ofRules.includes(key));
  const { host, cidr, port } = rule;
  if (odd !== undefined || (host === undefined) === (cidr === undefined))
    throw configInvalid(`${where} must have either host or cidr, and port perhaps`);
  const place = readText(host ?? cidr ?? null, where);
  if (port === undefined) return place;
  const ports = typeof port === 'number' ? String(port) : readText(port, where);
  const [address = '', bits] = place.split('/');
  const isBare = address.includes(':') && !address.startsWith('[');
  return `${isBare ? `[${address}]${bits === undefined ? '' : `/${bits}`}` : place}:${ports}`;
}

/** What the files say of tools for a worker. Those that start programs or load code count for a worker's own folders alone. */
export interface WorkerTools {
  mcpServers: Record<string, McpServerConfig>;
  outsideAgents: Record<string, OutsideAgentConfig>;
  /** Paths of JavaScript or TypeScript modules that export tools, from the working folder. */
  toolModules: string[];
  toolPolicy?: ToolPolicy;
  /** Whom the worker may ask. */
  egressPolicy?: EgressPolicy;
}

/** What of a worker in Python's models may run code as it is read. */
export const trustedModelsSetting = 'trusted_models';

/** Settings that no file of a procedure's place may have: what workers load, start, trust, keep and ask. */
export const ofWorkerFolders = [
  'mcp_servers',
  'outside_agents',
  'tool_modules',
  'files_folder',
  trustedModelsSetting,
  egressSetting,
];

const code = 'config_invalid';

/**
 * What several files say of calls of tools, together: all of their rules, and the strictest of their defaults. A file that
 * lies beside a procedure can forbid more than those above it, and allow nothing that they don't.
 * @throws TactusError config_invalid
 */
export function toolPolicyOf(configs: readonly { file: string; config: JsonObject }[]): ToolPolicy | null {
  const policies = configs.flatMap(({ file, config }) => {
    const given = getOwn(config, 'tool_policy') ?? null;
    return given === null ? [] : [readToolPolicy(given, `${file}: tool_policy`, code)];
  });
  if (policies.length === 0) return null;
  const strictest = Math.max(...policies.map((policy) => policyActions.indexOf(policy.default)));
  return {
    default: policyActions[strictest] ?? 'deny',
    rules: policies.flatMap(({ rules }) => rules),
  };
}

/** @throws TactusError config_invalid */
export function workerToolsOf(configs: readonly { file: string; config: JsonObject }[]): WorkerTools {
  const tools: WorkerTools = { mcpServers: {}, outsideAgents: {}, toolModules: [] };
  for (const { file, config } of configs) {
    for (const [name, server] of Object.entries(readServers(config, file)))
      setOwn(tools.mcpServers, name, server);
    for (const [name, agent] of Object.entries(readAgents(config, file)))
      setOwn(tools.outsideAgents, name, agent);
    tools.toolModules.push(...readTexts(getOwn(config, 'tool_modules') ?? [], `${file}: tool_modules`));
  }
  const toolPolicy = toolPolicyOf(configs);
  const egressPolicy = egressPolicyOf(configs);
  return {
    ...tools,
    ...(toolPolicy === null ? {} : { toolPolicy }),
    ...(egressPolicy === null ? {} : { egressPolicy }),
  };
}

function readServers(config: JsonObject, file: string): Record<string, McpServerConfig> {
  const given = getOwn(config, 'mcp_servers') ?? {};
  const where = `${file}: mcp_servers`;
  if (!isObject(given)) throw configInvalid(`${where} must be a table of servers by their names`);
  const servers: Record<string, McpServerConfig> = {};
  for (const [name, server] of Object.entries(given)) {
    if (!/^[\w-]+$/.test(name))
      throw configInvalid(`${where}: ${name} can't be a name; letters, digits, _ and - can`);
    setOwn(servers, name, readServer(server, `${where}.${name}`));
  }
  return servers;
}

const ofProcesses = ['command', 'args', 'env', 'cwd'];
const ofEndpoints = ['url', 'headers'];
const ofBoth = ['protocol', 'effects', 'timeout'];

function readServer(given: JsonValue, where: string): McpServerConfig {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with command or url`);
  const { command, url, args, env, cwd, headers, protocol, effects, timeout } = given;
  const known = [...(url === undefined ? ofProcesses : ofEndpoints), ...ofBoth];
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${known.join(', ')}`);
  const more = {
    ...(protocol === undefined ? {} : { protocol: readText(protocol, `${where}.protocol`) }),
    ...(effects === undefined ? {} : { effects: readEffects(effects, `${where}.effects`) }),
    ...(timeout === undefined ? {} : { timeoutMs: readDuration(timeout, `${where}.timeout`, code) }),
  };
  if (url !== undefined)
    return {
      url: readText(url, `${where}.url`),
      ...(headers === undefined ? {} : { headers: readTable(headers, `${where}.headers`) }),
      ...more,
    };
  return {
    command: readText(command ?? null, `${where}.command`),
    ...(args === undefined ? {} : { args: readTexts(args, `${where}.args`) }),
    ...(env === undefined ? {} : { env: readTable(env, `${where}.env`) }),
    ...(cwd === undefined ? {} : { cwd: readText(cwd, `${where}.cwd`) }),
    ...more,
  };
}

function readEffects(given: JsonValue, where: string): Record<string, EffectClass> {
  const effects: Record<string, EffectClass> = {};
  for (const [name, effect] of Object.entries(readTable(given, where)))
    setOwn(effects, name, readEffect(effect, `${where}.${name}`));
  return effects;
}

const setting = 'outside_agents';
const fields = ['protocol', 'url', 'headers', 'graph', 'description', 'effect', 'timeout', 'poll'];

/**
 * Agents of other systems that a worker reaches, by the names that procedures have for them.
 * @throws TactusError config_invalid
 */
function readAgents(config: JsonObject, file: string): Record<string, OutsideAgentConfig> {
  const given = getOwn(config, setting) ?? {};
  const where = `${file}: ${setting}`;
  if (!isObject(given)) throw configInvalid(`${where} must be a table of agents by their names`);
  const agents: Record<string, OutsideAgentConfig> = {};
  for (const [name, agent] of Object.entries(given)) {
    if (!/^[\w-]+$/.test(name))
      throw configInvalid(`${where}: ${name} can't be a name; letters, digits, _ and - can`);
    setOwn(agents, name, readAgent(agent, `${where}.${name}`));
  }
  return agents;
}

function readAgent(given: JsonValue, where: string): OutsideAgentConfig {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with protocol and url`);
  const odd = Object.keys(given).find((key) => !fields.includes(key));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${fields.join(', ')}`);
  const { url, headers, graph, description, effect, timeout, poll } = given;
  const protocol = agentProtocols.find((each) => each === given['protocol']);
  if (protocol === undefined)
    throw configInvalid(`${where}.protocol must be one of ${agentProtocols.join(', ')}`);
  if (protocol === 'langgraph' && graph === undefined)
    throw configInvalid(`${where}.graph must say which graph, or the id of an assistant`);
  return {
    protocol,
    url: readText(url ?? null, `${where}.url`),
    ...(headers === undefined ? {} : { headers: readTable(headers, `${where}.headers`) }),
    ...(graph === undefined ? {} : { graph: readText(graph, `${where}.graph`) }),
    ...(description === undefined ? {} : { description: readText(description, `${where}.description`) }),
    ...(effect === undefined ? {} : { effect: readEffect(effect, `${where}.effect`) }),
    ...(timeout === undefined
      ? {}
      : { timeoutMs: readDuration(timeout, `${where}.timeout`, 'config_invalid') }),
    ...(poll === undefined ? {} : { pollMs: readDuration(poll, `${where}.poll`, 'config_invalid') }),
  };
}
