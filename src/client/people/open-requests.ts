import type { Unserved } from '../health/pollers.js';
import { stuckError, type Retrying, type Stuck } from '../health/trouble.js';
import type { RunReport } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import { hasCode } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { comparePositions } from '../../contract/checkpoints/checkpoint.js';
import { statusOfWaits, type RunView, type Wait } from '../../contract/runs/run-view.js';
import type { IndexedRequest } from '../../read-model/run-index.js';

/** A run that couldn't be asked, and why. */
export interface Missing {
  run_id: string;
  reason: string;
}

export interface OpenRequests {
  /** In the order of their creation. */
  requests: IndexedRequest[];
  /** What the run can't go on without: a person, an `unpause`, or a time that is too far off to be followed until then. */
  waitsFor: 'human' | 'unpause' | 'time' | null;
  /** Runs whose requests are not among these, as they couldn't be asked. */
  missing: Missing[];
  /** Those of them that are stuck, by their ids. */
  stuck: Map<string, Stuck>;
  /** Calls of all of them that have failed and are tried again. */
  retrying: Retrying[];
  /** Calls of all of them that wait for a task queue that nobody serves. */
  unserved: Unserved[];
}

/** A procedure that puts itself off for longer than this isn't followed until then. */
const longestDeferralMs = 60_000;

/**
 * The open requests of a run, of the runs that it has started, and of those that it waits for.
 * @param lookAt gives the report of another run
 */
export async function openRequests(
  view: RunReport,
  lookAt: (runId: string) => Promise<RunReport>,
): Promise<OpenRequests> {
  const missing = new Map<string, string>();
  const stuck = new Map<string, Stuck>();
  const retrying: Retrying[] = [];
  const unserved: Unserved[] = [];
  const note = (run: RunReport): RunReport => {
    retrying.push(...run.retrying.map((call) => ({ ...call, id: `${run.run_id} ${call.id}` })));
    unserved.push(...(run.unserved ?? []).map((call) => ({ ...call, id: `${run.run_id} ${call.id}` })));
    if (run.stuck === null) return run;
    stuck.set(run.run_id, run.stuck);
    missing.set(run.run_id, stuckError(run.run_id, run.stuck).message);
    return run;
  };
  const views = new Map<string, Promise<RunReport | null>>();
  const look = (id: string): Promise<RunReport | null> => {
    const known = views.get(id);
    if (known !== undefined) return known;
    const asked = lookAt(id).then(note, (error: unknown) => {
      // A child that is just starting has nothing to ask yet.
      if (!hasCode(error, 'run_not_found'))
        missing.set(id, error instanceof Error ? error.message : String(error));
      return null;
    });
    views.set(id, asked);
    return asked;
  };
  const { requests, waitsFor } = await requestsBelow(look, note(view), []);
  const different = new Map(requests.map((request) => [request.id, request]));
  return {
    requests: [...different.values()].sort(byCreation),
    waitsFor,
    missing: [...missing].map(([run_id, reason]) => ({ run_id, reason })),
    stuck,
    retrying,
    unserved,
  };
}

async function requestsBelow(
  look: (id: string) => Promise<RunReport | null>,
  view: RunView,
  above: readonly string[],
): Promise<Pick<OpenRequests, 'requests' | 'waitsFor'>> {
  const awaited = view.waits.flatMap(({ runs }) => runs ?? []);
  const path = [...above, view.run_id];
  // Runs may wait for each other.
  const ids = [...new Set([...view.children, ...awaited])].filter((id) => !path.includes(id));
  const children = await Promise.all(
    ids.map(async (id) => {
      const childView = await look(id);
      if (childView === null) return { id, requests: [], waitsFor: null, isClosed: false };
      const below = await requestsBelow(look, childView, path);
      return { id, ...below, isClosed: childView.closed_at !== null };
    }),
  );
  const open = children.filter(({ id, isClosed }) => awaited.includes(id) && !isClosed);
  return {
    requests: [
      ...view.pending.map((request) => ({ ...request, procedure: view.procedure })),
      ...children.flatMap((child) => child.requests),
    ],
    waitsFor: waitsForOf(view, open),
  };
}

function waitsForOf(
  view: RunView,
  awaited: readonly Pick<OpenRequests, 'waitsFor'>[],
): OpenRequests['waitsFor'] {
  // What is done in a run that is cancelling may wait for the same as any other.
  const status =
    view.status === 'cancelling' ? statusOfWaits(new Set(view.waits.map(({ kind }) => kind))) : view.status;
  if (status === 'waiting_for_human') return 'human';
  if (isPutOff(view)) return 'time';
  if (view.status === 'paused' || view.held !== undefined)
    return view.waits.some(isUnderWay) ? null : 'unpause';
  if (status !== 'waiting_for_children' || awaited.length === 0) return null;
  if (awaited.some(({ waitsFor }) => waitsFor === null)) return null;
  const found = awaited.map(({ waitsFor }) => waitsFor);
  return (['human', 'unpause'] as const).find((each) => found.includes(each)) ?? 'time';
}

function isUnderWay({ kind, held }: Wait): boolean {
  return kind === 'activity' && held !== true;
}

function isPutOff({ status, waits }: RunView): boolean {
  const soonest = Date.now() + longestDeferralMs;
  return (
    status === 'waiting_for_time' &&
    waits.every(({ resume_at: at }) => at !== undefined && Date.parse(at) > soonest)
  );
}

/**
 * Open human requests of a run, of the runs that it has started, and of those that it waits for, oldest first.
 * @throws TactusError where one of them can't be asked
 */
export async function pendingBelow(
  attach: (runId: string) => Pick<TactusRun, 'pending' | 'status'>,
  runId: string,
): Promise<HumanRequest[]> {
  const seen = new Set<string>();
  const ask = async (id: string): Promise<HumanRequest[]> => {
    // Runs may wait for each other.
    if (seen.has(id)) return [];
    seen.add(id);
    const view = await attach(id).status().catch(isThere(id));
    if (view === null) return [];
    const runs = [...view.children, ...view.waits.flatMap((wait) => wait.runs ?? [])];
    const own = view.pending_whole === false ? attach(id).pending() : view.pending;
    const below = await Promise.all(runs.map(ask));
    return [...(await own), ...below.flat()];
  };
  // A child that is just starting has nothing to ask yet.
  const isThere = (id: string) => (error: unknown) => {
    if (id !== runId && hasCode(error, 'run_not_found')) return null;
    throw error;
  };
  return (await ask(runId)).sort((a, b) => a.created_at.localeCompare(b.created_at));
}

export function byCreation(a: HumanRequest, b: HumanRequest): number {
  return a.created_at === b.created_at
    ? comparePositions(a.position, b.position)
    : a.created_at < b.created_at
      ? -1
      : 1;
}

/** `<run>` of a request's id `<run>/<position>`. */
export function runIdOf(requestId: string): string {
  const slash = requestId.lastIndexOf('/');
  return slash < 0 ? requestId : requestId.slice(0, slash);
}
