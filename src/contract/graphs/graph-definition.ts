import { getOwn, type JsonObject, type JsonValue } from '../json/json.js';
import type { EffectClass } from '../tools/outside-tool.js';
import type { RetryPolicy } from '../retries/retry-policy.js';
import { reducerKind, type ChannelReducer, type KnownReducer } from './channel-reducers.js';
import type { Intent, LedgerEvent } from './super-step.js';
import { contextField } from './worker-graph.js';

/** What a node gives. */
export interface NodeResult<TStateDiff = unknown, TNode extends string = string> {
  /** Values by channels, each of which goes through the reducer of its channel once. */
  stateDiff: TStateDiff;
  /** Events that are kept with the super-step, and take no room in channels. */
  ledgerEvents?: readonly LedgerEvent[];
  /** Nodes of the next super-step. One that several name runs once. */
  nextTasks?: readonly TNode[];
  /** Messages that are sent once the super-step is recorded. */
  intents?: readonly Intent[];
}

/** What a node knows of its call. */
export interface NodeCall {
  threadId: string;
  node: string;
  /** The same at every attempt of one call. Hand it on to whatever does the work. */
  idempotencyKey: string;
  /** Aborts when the run is cancelled, or the time of the attempt is up. */
  signal: AbortSignal;
  /** 1 for the first. */
  attempt: number;
}

/** What a node is called with, beside the context of the thread. */
export interface NodeInput<S> {
  /** The values of the channels before the super-step. Frozen. */
  state: Readonly<S>;
  /** What `resume` was given, where the node was interrupted; left out where it wasn't. */
  resumePayload?: JsonValue;
}

/** A node, as a worker calls it, and as a test may call it. */
export type PregelNode<S, C = unknown, TStateDiff = Partial<S>, TNode extends string = string> = (
  context: C & NodeInput<S> & { call?: NodeCall },
) => Promise<NodeResult<TStateDiff, TNode>>;

/** The same with all that a worker gives. */
export type NodeHandler<S, C = unknown, TStateDiff = Partial<S>, TNode extends string = string> = (
  context: C & NodeInput<S> & { call: NodeCall },
) => Promise<NodeResult<TStateDiff, TNode>>;

/** The name of a node of whatever graph: what `defineNode` makes knows no graph. */
export type SomeNode = string & { readonly ofSomeGraph: true };

/** A node that was defined apart from a graph. */
export type DefinedNode<S, C = unknown, TStateDiff = Partial<S>> = PregelNode<S, C, TStateDiff, SomeNode> & {
  readonly options: NodeOptions;
};

/** How a worker calls a node. */
export interface NodeOptions {
  /** What a second call does; `idempotent` without it: an attempt that was lost is made again. */
  effect?: EffectClass;
  /** Time of one attempt, in ms; 60,000 without it. */
  timeoutMs?: number;
  /** How often it is tried where it throws; three times without it, and once where it is `once`. */
  retry?: RetryPolicy;
}

/** Channels that a node must not write to. */
type Strangers<D, S> = { [K in Exclude<keyof D, keyof S>]: never };

/** A graph: its channels, and its nodes, which run on a worker. */
export interface EngineGraphSpec<
  S extends object,
  C = unknown,
  R extends { [K in keyof R]: Partial<S> } = Record<string, Partial<S>>,
> {
  /** Letters, digits, `_` and `-`. Graphs of one worker have different names. Left out: `graph`. */
  name?: string;
  /** By their names. Those without a reducer are overwritten. */
  channels: { [K in keyof S]: ChannelReducer<S[K]> | undefined };
  /** By their names. */
  nodes: {
    [K in keyof R]: NodeHandler<S, C, R[K] & Strangers<R[K], S>, NoInfer<keyof R & string> | SomeNode>;
  };
  /** The first node; left out: the first of `nodes`. */
  entrypoint?: NoInfer<keyof R & string>;
  /** 50 where it is left out. One super-step more runs, then the thread fails. */
  maxSteps?: number;
}

/** A graph of whatever channels, as workers take it. */
export interface AnyGraph {
  name?: string;
  channels: Readonly<Record<string, ((current: never, update: never) => unknown) | undefined>>;
  nodes: Readonly<Record<string, (context: never) => Promise<NodeResult<object>>>>;
  entrypoint?: string;
  maxSteps?: number;
}

/** A graph that `defineGraph` has looked at. */
export interface EngineGraph<S extends object, C = unknown> extends AnyGraph {
  name: string;
  /** Says nothing but the types. */
  readonly types: { state: S; context: C } | null;
}

/**
 * Defines a node for graphs, with the types of the channels and the context that it needs.
 * @example
 * const charge = defineNode<State, Context>(
 *   async ({ state, customer, call }) => ({ stateDiff: { receipt: await payments.charge(customer, call.idempotencyKey) } }),
 *   { effect: 'once', timeoutMs: 10_000 },
 * );
 */
export function defineNode<S extends object = Record<string, unknown>, C = unknown, TStateDiff = Partial<S>>(
  handler: NodeHandler<S, C, TStateDiff>,
  options: NodeOptions = {},
): DefinedNode<S, C, TStateDiff> {
  const node = (context: C & NodeInput<S> & { call?: NodeCall }): Promise<NodeResult<TStateDiff, SomeNode>> =>
    // A worker always gives `call`; a test that leaves it out calls a node that doesn't use it. The graph looks at the names of nodes.
    handler(context as C & NodeInput<S> & { call: NodeCall }) as Promise<NodeResult<TStateDiff, SomeNode>>;
  return Object.assign(node, { options });
}

/** How a worker calls the node. */
export function nodeOptions(node: object): NodeOptions {
  return (node as { options?: NodeOptions }).options ?? {};
}

/** A phase in the words of the design: it reads a snapshot, and gives what it provides. */
export interface PhaseContractSpec<TRequires = Record<string, unknown>, TProvides = TRequires> {
  name: string;
  run(snapshot: Readonly<TRequires>): Promise<Partial<TProvides>>;
}

/** A phase as a node. @param nextTasks the nodes after it; left out: none */
export function phaseNode<S extends object>(
  phase: PhaseContractSpec<S, S>,
  nextTasks: readonly string[] = [],
): DefinedNode<S> {
  return defineNode<S>(async ({ state }) => ({ stateDiff: await phase.run(state), nextTasks }));
}

const namePattern = /^[A-Za-z_][\w-]{0,63}$/;
const mostSteps = 1_000_000;

/**
 * Defines a graph whose nodes are functions of a worker: give it to `activities.graphs` of `createTactusWorker`, and to an `EngineExecutor`.
 * The types of the channels are those of their reducers, and nodes can write nothing else.
 * @throws TypeError where a name or a bound is none
 * @example
 * const research = defineGraph({
 *   name: 'research',
 *   channels: { notes: appendReducer<string>(), answer: lastWriteWinsReducer<string>() },
 *   nodes: {
 *     plan: async () => ({ stateDiff: {}, nextTasks: ['web', 'files'] }),
 *     web: async () => ({ stateDiff: { notes: ['seen on the web'] }, nextTasks: ['answer'] }),
 *     files: async () => ({ stateDiff: { notes: ['seen in files'] }, nextTasks: ['answer'] }),
 *     answer: async ({ state }) => ({ stateDiff: { answer: state.notes.join(', ') } }),
 *   },
 * });
 */
export function defineGraph<
  S extends object,
  C extends object = JsonObject,
  R extends { [K in keyof R]: Partial<S> } = Record<string, Partial<S>>,
>(spec: EngineGraphSpec<S, C, R>): EngineGraph<S, C> {
  return { ...checkGraph(spec), types: null };
}

/**
 * The graph with its name, once its names are known to be some.
 * @throws TypeError
 */
export function checkGraph(graph: AnyGraph): AnyGraph & { name: string } {
  const { name = 'graph', channels, nodes, entrypoint, maxSteps } = graph;
  const what = `the graph ${JSON.stringify(name)}`;
  const names = [name, ...Object.keys(channels), ...Object.keys(nodes)];
  const odd = names.find((each) => !namePattern.test(each));
  if (odd !== undefined)
    throw new TypeError(`${what}: ${JSON.stringify(odd)} can't be the name of a graph, a channel or a node`);
  if (Object.keys(nodes).length === 0) throw new TypeError(`${what} has no nodes`);
  if (Object.hasOwn(channels, contextField))
    throw new TypeError(`${what}: a channel can't be called ${contextField}: that is the context of nodes`);
  if (entrypoint !== undefined && !Object.hasOwn(nodes, entrypoint))
    throw new TypeError(`${what}: its entrypoint ${JSON.stringify(entrypoint)} is none of its nodes`);
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= mostSteps))
    throw new TypeError(`${what}: maxSteps must be an integer from 1 to ${mostSteps}`);
  return { ...graph, name };
}

/** How the values of a channel come about; null: a function of the worker says so. */
export function knownReducer({ channels }: AnyGraph, channel: string): KnownReducer | null {
  const reducer = getOwn(channels, channel);
  return reducer === undefined ? { kind: 'last' } : reducerKind(reducer);
}
