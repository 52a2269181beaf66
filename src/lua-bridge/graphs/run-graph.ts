import type {
  KeyedIntent,
  NodeResult,
  GraphSnapshot,
  GraphState,
  SuperStepResult,
} from '../../contract/graphs/super-step.js';
import { mostMessages, nodeTitle, snapshotOf } from '../../contract/graphs/super-step.js';
import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { asJson, defined, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  branchOf,
  currentFrame,
  lauxlib,
  lua,
  type Bridge,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { checkpointed, type FrameSpec } from '../checkpoints/checkpointed.js';
import { inRounds, type Round } from '../checkpoints/rounds.js';
import { checkDepth } from '../procedures/procedure-declaration.js';
import { keepReadOnly } from '../procedures/read-only.js';
import { attempted, valueOf, type Attempt } from '../checkpoints/attempted.js';
import { graphNameOf, type GraphDeclaration } from './graph-declaration.js';
import { Outbox } from './outbox.js';
import { noteOpen } from './open-steps.js';
import { reduceAll } from './reducers.js';
import { runNodes, type Given, type GraphCall } from './run-nodes.js';
import { noteEnd, noteState, threadAt, turnBefore } from './threads.js';

/**
 * Runs a graph in a frame of its own: super-step after super-step, each in a frame, until none of its nodes is left to run.
 * @throws TactusError input_invalid, lua_error; LuaRaised: what a node failed with
 */
export function* runGraph(
  bridge: Bridge,
  L: LuaState,
  graph: GraphDeclaration,
  { input, context }: { input: JsonObject; context: JsonValue },
): Generator<Step, GraphSnapshot, unknown> {
  const name = graphNameOf(bridge, graph);
  checkInput(graph, name, input);
  const { depth } = currentFrame(L).scope;
  checkDepth(bridge, depth + 1);
  const given = { input, context };
  const scope = { depth: depth + 1 };
  const spec = { type: 'graph', name, input: given, digest: digestOf(given), scope, isWhole: true } as const;
  const snapshot = yield* checkpointed(bridge, L, spec, function* () {
    const { position } = currentFrame(L);
    const call = {
      graph,
      name,
      thread: threadAt(bridge, position),
      context: toNodes(L, context, readOnly.context),
      outbox: new Outbox(bridge),
    };
    const { kept, result } = yield* besideOutbox(bridge, L, call, (thread) =>
      runSteps(bridge, thread, call, input),
    );
    lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, call.context.table);
    const state = jsonAs<GraphState>(kept);
    noteEnd(bridge, call.thread);
    if (state.next_tasks.length > 0)
      throw new TactusError(
        'lua_error',
        `Graph Execution Error: Max steps (${graph.maxSteps}) exceeded for thread ${call.thread}`,
      );
    return asJson(snapshotOf(state, jsonAs<SuperStepResult>(result)));
  });
  return jsonAs<GraphSnapshot>(snapshot);
}

/** Does work in a branch, and sends what it puts into the outbox in another one. Both have ended when it gives what the work gave. */
function* besideOutbox<T>(
  bridge: Bridge,
  L: LuaState,
  { outbox }: GraphCall,
  work: (thread: LuaState) => Generator<Step, T, unknown>,
): Generator<Step, T, unknown> {
  let ended: Attempt<T> | null = null;
  const steps: Native = function* (thread) {
    ended = yield* attempted(bridge, thread, work(thread));
    outbox.close();
    return 0;
  };
  const sending: Native = function* (thread) {
    yield* outbox.send(thread);
    return 0;
  };
  const parallel = [steps, sending].map((run) => branchOf(bridge, run));
  yield { parallel, concurrency: parallel.length, isApart: false, beginsAgain: true };
  lua.lua_pop(L, 1);
  if (ended === null) throw new TactusError('internal', 'the branch of a graph has ended without a word');
  return valueOf(bridge, L, ended);
}

/** Takes the input in, and runs super-steps until one is the last. */
function* runSteps(
  bridge: Bridge,
  L: LuaState,
  call: GraphCall,
  input: JsonObject,
): Generator<Step, Round, unknown> {
  const { outbox } = call;
  const first = yield* takeInput(bridge, L, call, input);
  noteState(bridge, call, jsonAs<GraphState>(first));
  const step = (kept: JsonValue, index: number): Generator<Step, Round, unknown> =>
    superStep(bridge, L, call, jsonAs<GraphState>(kept), index);
  return yield* inRounds(bridge, L, roundSpec, first, step, ({ kept, result }) => {
    noteState(bridge, call, jsonAs<GraphState>(kept));
    outbox.add(jsonAs<SuperStepResult>(result).intents);
  });
}

const readOnly = {
  state: "a node can't change its state: return writes, which go through the reducers of the channels",
  context: 'the context of a graph is read-only; change a copy of it',
};

/** @param message what a change of it gets */
function toNodes(L: LuaState, value: JsonValue, message: string): Given {
  return { value, table: keepReadOnly(L, value, message) };
}

/** @throws TactusError input_invalid */
function checkInput({ channels }: GraphDeclaration, name: string, input: JsonObject): void {
  const field = Object.keys(input).find((channel) => !channels.has(channel));
  if (field !== undefined)
    throw new TactusError(
      'input_invalid',
      `graph ${name}: the input has the channel ${field}, which the graph doesn't have; it has ${[...channels.keys()].join(', ') || 'none'}`,
      { field },
    );
}

/** What is compared on replay are the nodes of the plan. */
function frameOf(name: string, nodes: readonly string[]): FrameSpec {
  const input = { nodes: [...nodes] };
  return { type: 'super_step', name, input, digest: digestOf(input) };
}

function roundSpec(kept: JsonValue): FrameSpec {
  const { step, next_tasks: plan } = jsonAs<GraphState>(kept);
  return frameOf(`step ${step + 1}`, plan);
}

function checkpointId({ run }: Bridge, L: LuaState): string {
  return `${run.id}/${currentFrame(L).position}`;
}

/**
 * The input goes through the reducers, and is a super-step of its own, in which no node runs. A turn of a thread goes on with the
 * values of the turn before, and from the entrypoint. The message that begins it counts as taken in with what it writes.
 */
function* takeInput(
  bridge: Bridge,
  L: LuaState,
  { graph, name, thread }: GraphCall,
  input: JsonObject,
): Generator<Step, JsonValue, unknown> {
  const before = turnBefore(bridge, thread);
  const step = before === null ? 0 : before.step + 1;
  const round = yield* checkpointed(bridge, L, frameOf('input', []), function* () {
    const place = { graph: name, channels: graph.channels };
    const values = yield* reduceAll(bridge, L, place, before?.values ?? {}, [input]);
    const state: GraphState = {
      step,
      values,
      next_tasks: [graph.entrypoint],
      versions: versionsAfter(before?.versions ?? {}, [input], step),
      versions_seen: before?.versions_seen ?? {},
      checkpoint_id: checkpointId(bridge, L),
      outbox: before?.outbox ?? { sent: 0, waiting: [] },
      ...messagesWith(before, thread === bridge.run.id ? bridge.run.messageId : null),
    };
    const result: SuperStepResult = {
      ...{ graph: name, thread, source: 'input', ran: [], writes: {}, ledger: [], intents: [] },
      interrupts: [],
      parent_checkpoint_id: before?.checkpoint_id ?? null,
      created_at: nowText(bridge),
    };
    return { kept: asJson(state), result: asJson(result), is_last: false };
  });
  return jsonAs<{ kept: JsonValue }>(round).kept;
}

/**
 * One super-step: its nodes run side by side on the same state; then all that they wrote goes through the reducers, each once and
 * in the order of the plan, whatever order the nodes ended in.
 */
function* superStep(
  bridge: Bridge,
  L: LuaState,
  call: GraphCall,
  before: GraphState,
  index: number,
): Generator<Step, Round, unknown> {
  const { graph, name, thread } = call;
  const plan = before.next_tasks;
  const step = before.step + 1;
  // The step before is recorded, and max_steps bounds how many there are: that a graph asks for nothing makes it no endless loop.
  bridge.meter.effectSettled();
  noteState(bridge, call, before);
  call.outbox.begin(before.outbox);
  yield* call.outbox.untilThereIsRoom();
  const state = toNodes(L, before.values, readOnly.state);
  const { position } = currentFrame(L);
  const done = noteOpen(bridge, { position, graph: name, step, nodes: plan });
  let results: NodeResult[];
  try {
    results = yield* runNodes(bridge, L, call, { step, plan }, state);
  } finally {
    done();
  }
  lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, state.table);
  const writes = results.map((each) => each.writes);
  const place = { graph: name, channels: graph.channels };
  const next = [...new Set(results.flatMap((each) => each.next))];
  const seen = plan.map((node) => [node, before.versions] as const);
  const intents = results
    .flatMap((each, i) => each.intents.map((intent) => ({ intent, node: plan[i] ?? '' })))
    .map(({ intent, node }, i): KeyedIntent => ({
      key: `${thread}/${step}/${i}`,
      intent,
      from: nodeTitle(name, step, node),
    }));
  const after: GraphState = {
    step,
    values: yield* reduceAll(bridge, L, place, before.values, writes),
    next_tasks: next,
    versions: versionsAfter(before.versions, writes, step),
    versions_seen: { ...before.versions_seen, ...Object.fromEntries(seen) },
    checkpoint_id: checkpointId(bridge, L),
    outbox: call.outbox.stateWith(intents),
    ...defined({ messages: before.messages }),
  };
  const result: SuperStepResult = {
    ...{ graph: name, thread, source: 'loop', ran: plan },
    writes: Object.fromEntries(plan.map((node, i) => [node, writes[i] ?? {}])),
    ledger: results.flatMap((each) => each.ledger),
    intents,
    interrupts: results.flatMap((each) => each.interrupts),
    parent_checkpoint_id: before.checkpoint_id,
    created_at: nowText(bridge),
  };
  // As in the design, one super-step more than `max_steps` runs.
  const isLast = next.length === 0 || index > graph.maxSteps;
  return { kept: asJson(after), result: asJson(result), isLast };
}

function messagesWith(before: GraphState | null, messageId: string | null): Pick<GraphState, 'messages'> {
  const known = before?.messages ?? [];
  const messages = messageId === null ? known : [...known, messageId].slice(-mostMessages);
  return messages.length === 0 ? {} : { messages };
}

function versionsAfter(
  before: Record<string, number>,
  writes: readonly JsonObject[],
  step: number,
): Record<string, number> {
  const written = writes.flatMap((each) => Object.keys(each));
  return { ...before, ...Object.fromEntries(written.map((channel) => [channel, step])) };
}

function nowText(bridge: Bridge): string {
  return new Date(bridge.now()).toISOString();
}
