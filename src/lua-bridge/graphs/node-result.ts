import { TactusError } from '../../contract/errors.js';
import { isEmptyList, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Intent, LedgerEvent, NodeResult } from '../../contract/graphs/super-step.js';
import type { GraphDeclaration } from './graph-declaration.js';

const fields = ['writes', 'next', 'ledger', 'intents'];
const mostNext = 1_000;

/**
 * Reads what a node returned: `{writes, next, ledger, intents}`; nothing is a node that writes nothing.
 * @param what the graph and the node, as an error names them
 * @throws TactusError lua_error naming the field
 */
export function readNodeResult(
  { channels, nodes }: GraphDeclaration,
  what: string,
  given: JsonValue,
): Omit<NodeResult, 'interrupts'> {
  const table = tableOf(given, what, `must return a table with ${fields.join(', ')}`);
  const odd = Object.keys(table).find((key) => !fields.includes(key));
  if (odd !== undefined)
    throw invalid(what, `returned the unknown field ${odd}; there are ${fields.join(', ')}`);
  const writes = tableOf(table['writes'] ?? null, what, 'needs writes as a table of values by channels');
  const stranger = Object.keys(writes).find((channel) => !channels.has(channel));
  if (stranger !== undefined)
    throw invalid(
      what,
      `writes to the channel ${stranger}, which the graph doesn't have; it has ${[...channels.keys()].join(', ') || 'none'}`,
    );
  const next = readNext(table['next'] ?? null, what);
  const missing = next.find((name) => !nodes.has(name));
  if (missing !== undefined) throw nodeNotFound(missing);
  return {
    writes,
    next,
    ledger: listOf(table['ledger'] ?? null, what, 'ledger').map((each, i) => readEvent(each, what, i + 1)),
    intents: listOf(table['intents'] ?? null, what, 'intents').map((each, i) =>
      readIntent(each, what, i + 1),
    ),
  };
}

/** As the executor of the design reads. */
export function nodeNotFound(name: string): TactusError {
  return new TactusError('lua_error', `Graph Execution Error: Node ${name} not found.`);
}

function invalid(what: string, problem: string): TactusError {
  return new TactusError('lua_error', `${what} ${problem}`);
}

function shown(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 100);
}

/** An empty table is a list to Lua. */
function tableOf(given: JsonValue, what: string, problem: string): JsonObject {
  if (given === null || isEmptyList(given)) return {};
  if (isObject(given)) return given;
  throw invalid(what, `${problem}, got ${shown(given)}`);
}

function readNext(given: JsonValue, what: string): string[] {
  const list = typeof given === 'string' ? [given] : (given ?? []);
  const isNames = Array.isArray(list) && list.every((each) => typeof each === 'string');
  if (!isNames)
    throw invalid(what, `needs next as the name of a node, or a list of names, got ${shown(given)}`);
  if (list.length > mostNext)
    throw invalid(what, `names ${list.length} nodes in next; ${mostNext} are allowed`);
  return list;
}

function listOf(given: JsonValue, what: string, field: string): JsonValue[] {
  if (given === null) return [];
  if (Array.isArray(given)) return given;
  throw invalid(what, `needs ${field} as a list of tables, got ${shown(given)}`);
}

function readEvent(given: JsonValue, what: string, number: number): LedgerEvent {
  const wanted = `needs ledger[${number}] as { topic = "…", key = "…", data = {…} }`;
  if (!isObject(given)) throw invalid(what, `${wanted}, got ${shown(given)}`);
  const { topic, key, data = null, ...others } = given;
  const isWhole = typeof topic === 'string' && topic !== '' && typeof key === 'string' && key !== '';
  if (!isWhole || Object.keys(others).length > 0) throw invalid(what, `${wanted}, got ${shown(given)}`);
  return { topic, key, data: tableOf(data, what, `needs data of ledger[${number}] as a table`) };
}

function readIntent(given: JsonValue, what: string, number: number): Intent {
  const type = isObject(given) ? given['type'] : undefined;
  if (!isObject(given) || typeof type !== 'string' || type === '')
    throw invalid(what, `needs intents[${number}] as { type = "…", payload = {…} }, got ${shown(given)}`);
  if (given['key'] !== undefined)
    throw invalid(what, `gives intents[${number}] a key; keys are made of the thread and the super-step`);
  return { ...given, type };
}
