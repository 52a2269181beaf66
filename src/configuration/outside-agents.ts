import { readDuration } from '../contract/time/duration.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { agentProtocols, type OutsideAgentConfig } from '../contract/tools/tool-servers.js';
import { invalid, readEffect, readTable, readText } from './setting-values.js';

const setting = 'outside_agents';
const fields = ['protocol', 'url', 'headers', 'graph', 'description', 'effect', 'timeout', 'poll'];

/**
 * Agents of other systems that a worker reaches, by the names that procedures have for them.
 * @throws TactusError config_invalid
 */
export function readAgents(config: JsonObject, file: string): Record<string, OutsideAgentConfig> {
  const given = getOwn(config, setting) ?? {};
  const where = `${file}: ${setting}`;
  if (!isObject(given)) throw invalid(`${where} must be a table of agents by their names`);
  const agents: Record<string, OutsideAgentConfig> = {};
  for (const [name, agent] of Object.entries(given)) {
    if (!/^[\w-]+$/.test(name))
      throw invalid(`${where}: ${name} can't be a name; letters, digits, _ and - can`);
    setOwn(agents, name, readAgent(agent, `${where}.${name}`));
  }
  return agents;
}

function readAgent(given: JsonValue, where: string): OutsideAgentConfig {
  if (!isObject(given)) throw invalid(`${where} must be a table with protocol and url`);
  const odd = Object.keys(given).find((key) => !fields.includes(key));
  if (odd !== undefined)
    throw invalid(`${where} has the unknown field ${odd}; there are ${fields.join(', ')}`);
  const { url, headers, graph, description, effect, timeout, poll } = given;
  const protocol = agentProtocols.find((each) => each === given['protocol']);
  if (protocol === undefined) throw invalid(`${where}.protocol must be one of ${agentProtocols.join(', ')}`);
  if (protocol === 'langgraph' && graph === undefined)
    throw invalid(`${where}.graph must say which graph, or the id of an assistant`);
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
