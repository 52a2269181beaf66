import { TactusError } from '../../contract/errors.js';
import { interruptField, type InterruptAsk } from '../../contract/graphs/worker-graph.js';
import { defined, isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Bridge, LuaState, Step } from '../kernel/index.js';
import { findTools } from '../tools/resolve-tools.js';
import { callTool } from '../tools/tool-call.js';
import type { ToolDeclaration } from '../tools/tool-declaration.js';
import { interrupt, type OpenNode } from './interrupts.js';

/**
 * Asks a tool for what a graph wants of it, once.
 * @param title what pages show of the call: the node that it is; left out: the name of the tool
 * @throws TactusError tool_failed, tool_denied, outcome_unknown
 */
export function* askTool(
  bridge: Bridge,
  L: LuaState,
  tool: ToolDeclaration,
  args: JsonObject,
  title?: string,
): Generator<Step, JsonValue, unknown> {
  const [named] = yield* findTools(bridge, L, [{ of: { tool }, selection: null }]);
  if (named === undefined) throw new TactusError('internal', 'a tool of a graph stands for nothing');
  return yield* callTool(bridge, L, { ...named, ...defined({ title }) }, args);
}

/**
 * Runs a node that is a tool. Where it is interrupted, it waits for whoever resumes the graph, and calls the tool again with
 * what they said as `resume_payload`.
 * @throws TactusError as `askTool` and `interrupt` do
 */
export function* callToolNode(
  bridge: Bridge,
  L: LuaState,
  tool: ToolDeclaration,
  open: OpenNode,
  given: JsonObject,
  title: string,
): Generator<Step, JsonValue, unknown> {
  for (let resumed: JsonObject = {}; ;) {
    const answer = yield* askTool(bridge, L, tool, { ...given, ...resumed }, title);
    const ask = isObject(answer) ? answer[interruptField] : undefined;
    if (!isObject(ask)) return answer;
    const { reason, payload = null, options = {} } = jsonAs<InterruptAsk>(ask);
    resumed = { resume_payload: yield* interrupt(bridge, open, reason, payload, options) };
  }
}
