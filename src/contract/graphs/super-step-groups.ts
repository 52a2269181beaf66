import {
  childPosition,
  comparePositions,
  isWithin,
  outerPosition,
  ownIndex,
  type Position,
} from '../checkpoints/checkpoint.js';
import { getOwn, isObject, jsonAs, type JsonObject } from '../json/json.js';
import type { HumanRequest } from '../people/human-request.js';
import type { LogEntryView, Wait } from '../runs/run-view.js';
import { recordedIntents, type IntentView } from './recorded-intents.js';
import {
  nodePosition,
  type GraphState,
  type Interrupt,
  type NodeResult,
  type SuperStepResult,
} from './super-step.js';

/** `stopped`: it has not ended, and never will. */
export type StepStatus = 'completed' | 'failed' | 'waiting' | 'running' | 'stopped';

/** A node in a super-step. */
export interface SteppedNode {
  node: string;
  position: Position;
  status: StepStatus;
  /** Values by channels, as the node returned them. */
  writes: JsonObject;
  error: string | null;
  /** What it has asked people; one that is open has the id of its request. */
  interrupts: Interrupt[];
  /** What else it waits for: time, events, child runs. */
  waits: Pick<Wait, 'kind' | 'name' | 'since'>[];
}

/** A super-step, as people read it: its log entries are those whose positions are within its own. */
export interface SuperStepGroup {
  position: Position;
  /** null where the log does not say it. */
  graph: string | null;
  thread: string | null;
  step: number;
  /** `input`: the input was taken in, and no node ran. */
  source: 'input' | 'loop';
  status: StepStatus;
  error: string | null;
  /** In the order of the plan. */
  nodes: SteppedNode[];
  /** Messages that it left to be sent, and what became of them. */
  intents: IntentView[];
  /** How many events it left for the ledger. */
  ledger: number;
}

/** What is known of a run, by who shows its super-steps. */
export interface SteppedRun {
  /** All that its log has, or a part of it. */
  entries: readonly LogEntryView[];
  pending: readonly HumanRequest[];
  waits: readonly Wait[];
  isOver: boolean;
  /** Left out: what the entries say of them. */
  intents?: readonly IntentView[];
}

/** The super-steps of a run's graphs, in the order in which they began to be recorded; those that are under way are the last. */
export function superStepGroups(run: SteppedRun): SuperStepGroup[] {
  const { entries, isOver } = run;
  const intents = run.intents ?? recordedIntents(entries).map(({ view }) => atEnd(view, isOver));
  const facts: Facts = {
    ...run,
    byPosition: new Map(entries.map((entry) => [entry.position, entry])),
    byKey: new Map(intents.map((view) => [view.key, view])),
  };
  const loops = new Map<Position, SuperStepGroup>();
  const ended = entries.flatMap((entry) => {
    if (entry.type !== 'super_step') return [];
    const loop = outerPosition(entry.position);
    const group = endedGroup(facts, entry, loops.get(loop));
    loops.set(loop, group);
    return [group];
  });
  return [...ended, ...[...loops].flatMap(([loop, last]) => openGroup(facts, loop, last) ?? [])];
}

/** `super-step 3: left, right`. */
export function superStepTitle({
  step,
  source,
  nodes,
}: Pick<SuperStepGroup, 'step' | 'source' | 'nodes'>): string {
  const ran = source === 'input' ? 'input' : nodes.map(({ node }) => node).join(', ');
  return `super-step ${step}${ran === '' ? '' : `: ${ran}`}`;
}

/** The innermost super-step that a position is within. */
export function superStepAround<T>(groups: ReadonlyMap<Position, T>, position: Position): T | null {
  for (let at = position; at !== ''; at = outerPosition(at)) {
    const found = groups.get(at);
    if (found !== undefined) return found;
  }
  return null;
}

/** The value of a super-step's frame. */
interface Recorded {
  kept?: GraphState;
  result?: SuperStepResult;
  is_last?: boolean;
}

interface Facts extends SteppedRun {
  byPosition: ReadonlyMap<Position, LogEntryView>;
  byKey: ReadonlyMap<string, IntentView>;
}

/** A run that has ended sends nothing more. */
function atEnd(view: IntentView, isOver: boolean): IntentView {
  return isOver && view.status === 'waiting' ? { ...view, status: 'failed' } : view;
}

function endedGroup(facts: Facts, entry: LogEntryView, before: SuperStepGroup | undefined): SuperStepGroup {
  const { position, status, error, input, result } = entry;
  const { kept, result: made } = isObject(result) ? jsonAs<Recorded>(result) : {};
  const { graph, thread } = made ?? before ?? { graph: null, thread: null };
  // Where the content is not shown, only the place of a super-step is known.
  const plan = isObject(input) ? jsonAs<{ nodes: string[] }>(input).nodes : [];
  return {
    ...{ position, graph, thread, status, error },
    step: kept?.step ?? (before === undefined ? ownIndex(position) : before.step + 1),
    source: made?.source ?? (ownIndex(position) === 0 ? 'input' : 'loop'),
    nodes: made === undefined ? nodesOf(facts, position, plan, 'stopped') : completedNodes(position, made),
    intents: (made?.intents ?? []).flatMap(({ key }) => facts.byKey.get(key) ?? []),
    ledger: made?.ledger.length ?? 0,
  };
}

/** The super-step that is under way after the last one that a loop has recorded; null: none is. */
function openGroup(facts: Facts, loop: Position, last: SuperStepGroup): SuperStepGroup | null {
  // The super-steps of a graph stand in the first branch of its frame.
  if (last.status !== 'completed' || facts.byPosition.has(outerPosition(loop))) return null;
  const result = facts.byPosition.get(last.position)?.result ?? null;
  const { kept, is_last: isLast } = isObject(result) ? jsonAs<Recorded>(result) : {};
  if (kept === undefined || isLast === true) return null;
  const { next_tasks: plan, step } = kept;
  const position = childPosition(loop, ownIndex(last.position) + 1);
  const nodes = nodesOf(facts, position, plan, facts.isOver ? 'stopped' : 'running');
  const isWaiting = nodes.some(({ status }) => status === 'waiting');
  const isRunning = nodes.some(({ status }) => status === 'running');
  return {
    position,
    ...{ graph: last.graph, thread: last.thread, step: step + 1, source: 'loop' },
    status: facts.isOver ? 'stopped' : isWaiting && !isRunning ? 'waiting' : 'running',
    ...{ error: null, nodes, intents: [], ledger: 0 },
  };
}

/** A log that begins at a snapshot has no entries of them. */
function completedNodes(step: Position, { ran, writes, interrupts }: SuperStepResult): SteppedNode[] {
  return ran.map((node, i) => ({
    ...{ node, position: nodePosition(step, i), status: 'completed', error: null, waits: [] },
    writes: getOwn(writes, node) ?? {},
    interrupts: interrupts.filter((each) => each.node === node),
  }));
}

/** @param otherwise how a node stands that has not ended, and waits for nothing */
function nodesOf(
  facts: Facts,
  step: Position,
  plan: readonly string[],
  otherwise: StepStatus,
): SteppedNode[] {
  return plan.map((node, i): SteppedNode => {
    const position = nodePosition(step, i);
    const entry = facts.byPosition.get(position);
    return entry === undefined
      ? openNode(facts, node, position, otherwise)
      : { node, position, ...endedNode(entry), waits: [] };
  });
}

function endedNode({
  status,
  error,
  result,
}: LogEntryView): Pick<SteppedNode, 'status' | 'writes' | 'error' | 'interrupts'> {
  const { writes = {}, interrupts = [] } = isObject(result) ? jsonAs<NodeResult>(result) : {};
  return { status, writes, error, interrupts };
}

function openNode(
  { pending, waits }: Facts,
  node: string,
  position: Position,
  otherwise: StepStatus,
): SteppedNode {
  const interrupts = pending
    .filter((request) => isWithin(request.position, position))
    .sort((a, b) => comparePositions(a.position, b.position))
    .map(({ id, message, context }): Interrupt => ({ node, reason: message, payload: context, request: id }));
  const others = waits
    .filter((wait) => isWithin(wait.position, position) && wait.kind !== 'human')
    .map(({ kind, name, since }) => ({ kind, name, since }));
  const isWorking = others.some(({ kind }) => kind === 'activity');
  const isWaiting = interrupts.length + others.length > 0 && !isWorking;
  return {
    ...{ node, position, status: isWaiting ? 'waiting' : otherwise, writes: {}, error: null, interrupts },
    waits: others,
  };
}
