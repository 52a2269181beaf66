import { outerPosition, type Position } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { nodePosition, nodeTitle, type NodeResult } from '../../contract/graphs/super-step.js';
import { asJson, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  branchOf,
  currentFrame,
  definedAt,
  lua,
  PerRun,
  toJson,
  type Branch,
  type Bridge,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { runBranches } from '../checkpoints/branches.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { attempted, valueOf, type Attempt } from '../checkpoints/attempted.js';
import type { GraphDeclaration } from './graph-declaration.js';
import type { OpenNode } from './interrupts.js';
import type { Outbox } from './outbox.js';
import { nodeNotFound, readNodeResult } from './node-result.js';
import { callToolNode } from './tool-parts.js';

/** One call of a graph. */
export interface GraphCall {
  graph: GraphDeclaration;
  name: string;
  thread: string;
  context: Given;
  outbox: Outbox;
}

/** What nodes are given: functions of Lua as a read-only table, by its registry reference, and tools as it is. */
export interface Given {
  value: JsonValue;
  table: number;
}

/** Nodes that are at work, by the positions of their frames. */
const openNodes = new PerRun(() => new Map<string, OpenNode>(), 'elsewhere');

/** Whether the node in the branch of this index, of the super-step at a position, is at work. */
export function isNodeOpen(bridge: Bridge, step: Position, index: number): boolean {
  return openNodes.of(bridge).has(nodePosition(step, index));
}

/** The innermost node that a thread stands in; null: it stands in none. */
export function nodeAround(bridge: Bridge, L: LuaState): OpenNode | null {
  const open = openNodes.of(bridge);
  for (let at = currentFrame(L).position; at !== ''; at = outerPosition(at)) {
    const found = open.get(at);
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * Runs the nodes of a plan side by side. One that fails stops no other: when all have ended, the first failure in the order of the
 * plan is the caller's, and what the others gave stays in the log.
 */
export function* runNodes(
  bridge: Bridge,
  L: LuaState,
  call: GraphCall,
  { step, plan }: { step: number; plan: readonly string[] },
  state: Given,
): Generator<Step, NodeResult[], unknown> {
  const ended: Attempt<NodeResult>[] = [];
  const branches = plan.map((node, i): Branch => {
    const run: Native = function* (thread) {
      const end = yield* attempted(bridge, thread, callNode(bridge, thread, call, { step, node }, state));
      ended[i] = end;
      const others = plan.filter((_, other) => ended[other] === undefined);
      if ('error' in end) tellOfFailure(bridge, call, { node, ...end }, others);
      return 0;
    };
    return branchOf(bridge, run);
  });
  yield* runBranches(bridge, L, branches, { concurrency: plan.length, isApart: true });
  lua.lua_pop(L, 1);
  return ended.map((how) => valueOf(bridge, L, how));
}

/** The caller is told of a failure when the others have ended, which may wait for weeks: the log says so now. */
function tellOfFailure(
  bridge: Bridge,
  { name, thread }: GraphCall,
  { node, error }: { node: string; error: TactusError },
  others: readonly string[],
): void {
  if (others.length === 0) return;
  const message = `graph ${name}: node ${node} has failed, and so will the graph when nodes beside it have ended (${others.join(', ')}): ${error.message}`;
  bridge.show({ kind: 'log', level: 'warning', message, context: { thread, node } });
}

/** Calls a node in a frame of its own, whose recorded value is what it gave. */
function* callNode(
  bridge: Bridge,
  L: LuaState,
  call: GraphCall,
  { step, node }: { step: number; node: string },
  state: Given,
): Generator<Step, NodeResult, unknown> {
  const { graph, name } = call;
  const declared = graph.nodes.get(node);
  if (declared === undefined) throw nodeNotFound(node);
  const title = nodeTitle(name, step, node);
  const spec = {
    type: 'graph_node',
    name: node,
    title,
    input: null,
    digest: '',
    scope: { step: node },
  } as const;
  const recorded = yield* checkpointed(bridge, L, spec, function* () {
    const { position } = currentFrame(L);
    const open: OpenNode = { node, interrupts: [] };
    openNodes.of(bridge).set(position, open);
    let given: JsonValue;
    try {
      given =
        'tool' in declared
          ? yield* callToolNode(bridge, L, declared.tool, open, toolArguments(call, state), title)
          : yield* callLuaNode(bridge, L, declared.body, [state, call.context]);
    } finally {
      openNodes.of(bridge).delete(position);
    }
    try {
      const result = readNodeResult(graph, `graph ${name}: node ${node}`, given);
      return asJson({ ...result, interrupts: open.interrupts });
    } catch (error) {
      if (!(error instanceof TactusError) || 'tool' in declared) throw error;
      lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, declared.body);
      throw new TactusError(error.code, error.message, { ...error.details, ...definedAt(L) });
    }
  });
  return jsonAs<NodeResult>(recorded);
}

function toolArguments({ thread, context }: GraphCall, state: Given): JsonObject {
  return { state: state.value, context: context.value, thread };
}

function* callLuaNode(
  bridge: Bridge,
  L: LuaState,
  body: number,
  [state, context]: [Given, Given],
): Generator<Step, JsonValue, unknown> {
  lua.lua_checkstack(L, 4);
  for (const reference of [body, state.table, context.table])
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, reference);
  yield { call: 2, results: 1 };
  return toJson(L, -1, bridge.limits.depth);
}
