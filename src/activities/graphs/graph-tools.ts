import { TactusError } from '../../contract/errors.js';
import {
  checkGraph,
  knownReducer,
  nodeOptions,
  type AnyGraph,
  type NodeResult,
} from '../../contract/graphs/graph-definition.js';
import type { GraphInterrupt } from '../../contract/graphs/graph-interrupt.js';
import type { Intent } from '../../contract/graphs/super-step.js';
import {
  interruptField,
  nodeSource,
  reducerSource,
  type NodeArguments,
  type ReducerArguments,
} from '../../contract/graphs/worker-graph.js';
import { defined, jsonAs, type JsonObject } from '../../contract/json/json.js';
import { visibleName, type ListedTool } from '../../contract/tools/outside-tool.js';
import type { CallableTool, HostCallContext, ToolHost } from '../tools/tool-host.js';

/** A part of a graph, as procedures call it. */
interface Part {
  listed: ListedTool;
  call: CallableTool['call'];
}

/**
 * The nodes of a worker's graphs as tools, and those reducers that their authors wrote.
 * @throws TypeError where two graphs have the same name
 */
export function graphTools(graphs: readonly AnyGraph[]): ToolHost {
  const parts = new Map<string, Part>();
  for (const each of graphs) {
    const graph = checkGraph(each);
    for (const part of partsOf(graph)) {
      const { source } = part.listed;
      if (parts.has(source)) throw new TypeError(`the worker has two graphs ${graph.name}`);
      parts.set(source, part);
    }
  }
  return {
    list: (source) => {
      const part = parts.get(source);
      return Promise.resolve(part === undefined ? null : [part.listed]);
    },
    find: ({ source }) => {
      const part = parts.get(source);
      return part === undefined ? null : callable(source, part);
    },
    close: () => Promise.resolve(),
  };
}

/** What a worker has under the names of its graphs, for lists of its tools. */
export function sourcesOfGraphs(graphs: readonly AnyGraph[]): string[] {
  return graphs.flatMap((graph) => partsOf(checkGraph(graph)).map(({ listed }) => listed.source));
}

function callable(source: string, { call }: Part): CallableTool {
  return {
    names: [source, source.replace(/^host\./, ''), visibleName(source)],
    secrets: () => [],
    needsApproval: () => Promise.resolve(false),
    verify: () => Promise.resolve(null),
    call,
  };
}

function partsOf(graph: AnyGraph & { name: string }): Part[] {
  const nodes = Object.entries(graph.nodes).map(([name, node]): Part => {
    const { effect = 'idempotent', timeoutMs, retry } = nodeOptions(node);
    return {
      listed: {
        source: nodeSource(graph.name, name),
        description: `The node ${name} of the graph ${graph.name}`,
        parameters: { type: 'object' },
        effect,
        ...defined({ timeoutMs, retry }),
      },
      call: (args, context) => callNode(graph, name, jsonAs<NodeArguments>(args), context),
    };
  });
  const reducers = Object.keys(graph.channels)
    .filter((channel) => knownReducer(graph, channel) === null)
    .map((channel): Part => ({
      listed: {
        source: reducerSource(graph.name, channel),
        description: `The reducer of the channel ${channel} of the graph ${graph.name}`,
        parameters: { type: 'object' },
        effect: 'pure',
      },
      call: (args) => Promise.resolve(reduce(graph, channel, jsonAs<ReducerArguments>(args))),
    }));
  return [...nodes, ...reducers];
}

/** As the node is called, whatever its types say. */
type Handler = (context: object) => Promise<Partial<NodeResult<Record<string, unknown>>> | undefined>;

async function callNode(
  graph: AnyGraph,
  node: string,
  { state, context, thread, resume_payload: resumed }: NodeArguments,
  { idempotencyKey, signal, attempt }: HostCallContext,
): Promise<unknown> {
  const handler = graph.nodes[node] as Handler;
  const hasChannel = Object.hasOwn(graph.channels, 'resumePayload');
  const values = resumed !== undefined && hasChannel ? { ...state, resumePayload: resumed } : state;
  try {
    const result = await handler({
      ...context,
      state: frozen(values),
      ...defined({ resumePayload: resumed }),
      call: { threadId: thread, node, idempotencyKey, signal, attempt },
    });
    return toLua(graph, result ?? {});
  } catch (error) {
    if (!isInterrupt(error)) throw error;
    const { reason, payload = null, options = {} } = error;
    const byDefault = options.timeout === undefined ? {} : { default: { type: 'TimeoutCommand', reason } };
    return { [interruptField]: { reason, payload, options: { ...byDefault, ...options } } };
  }
}

/** An application may have its own copy of the class. */
function isInterrupt(error: unknown): error is GraphInterrupt {
  return error instanceof Error && error.name === 'GraphInterrupt' && 'reason' in error;
}

/** What a node gave, as a graph reads it. */
function toLua(
  graph: AnyGraph,
  { stateDiff = {}, nextTasks = [], ledgerEvents = [], intents = [] }: Awaited<ReturnType<Handler>> & object,
): object {
  const sent = Object.entries(stateDiff).flatMap(([channel, update]) => {
    const reducer = knownReducer(graph, channel);
    return reducer?.kind === 'append' && reducer.isOutbox === true ? (update as Intent[]) : [];
  });
  return { writes: stateDiff, next: nextTasks, ledger: ledgerEvents, intents: [...intents, ...sent] };
}

function reduce(graph: AnyGraph, channel: string, { current, updates }: ReducerArguments): unknown {
  const reducer = graph.channels[channel] as (current: unknown, update: unknown) => unknown;
  let value: unknown = current ?? undefined;
  for (const update of updates) value = reducer(value, update);
  if (value !== undefined) return value;
  throw new TactusError(
    'tool_failed',
    `graph ${graph.name ?? ''}: the reducer of the channel ${channel} returned nothing; it returns the new value of the channel`,
  );
}

/** Whoever changes it is told so, in strict code. */
function frozen(value: JsonObject): JsonObject {
  for (const each of Object.values(value))
    if (typeof each === 'object' && each !== null) frozen(each as JsonObject);
  return Object.freeze(value);
}
