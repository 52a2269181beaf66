import type { ForkedFrom } from '../contract/changes/forked-from.js';
import type { PublishedAs } from '../contract/procedures/published.js';
import type { RunError } from '../contract/errors.js';
import type { HumanRequest, HumanRequestKind } from '../contract/people/human-request.js';
import type { Labels } from '../contract/runs/labels.js';
import type { Decisions, Marks } from '../contract/runs/marks.js';
import type { RunStatus, ToldRun } from '../contract/runs/run-view.js';

/** What the server knows of a run by itself. */
export interface ServerRun extends Marks {
  run_id: string;
  procedure: string;
  status: RunStatus;
  started_at: string;
  closed_at: string | null;
  execution: string;
  /** The version that it was started with, where its procedure is published. */
  published?: PublishedAs;
  /** The run that it was forked from, and where; left out of one that is no fork. */
  forked_from?: ForkedFrom;
  /** Of one that has ended, where people have decided on something. */
  decisions?: Decisions;
}

/** What a run that has ended answers, packed by whoever keeps it. */
export interface KeptAnswers {
  run_id: string;
  /** The Temporal execution that has ended. */
  execution: string;
  /** How far it had come, as `versionText` has it: of two, the later is kept. */
  version: string;
  packed: string;
}

/**
 * One thing that became known. `told`: by the run, in a worker or asked. `answered`: what it answers from its end on. `listed`: by the
 * server, of a run that may have said nothing yet. `closed`: by the server, and nothing that the run told before changes it.
 */
export type IndexChange =
  | { kind: 'told'; run: ToldRun }
  | { kind: 'answered'; run: KeptAnswers }
  | { kind: 'listed'; run: ServerRun }
  | { kind: 'closed'; run: ServerRun & { error: RunError | null } };

/** A run as the index has it. What it hasn't told is left out. */
export interface IndexedRun
  extends ServerRun, Partial<Pick<ToldRun, 'waits' | 'children' | 'checkpoints' | 'usage'>> {
  error: RunError | null;
  /** The server has said that it ended. */
  isFinal: boolean;
  /** How much of the execution's history it had seen when it told this; 0: it hasn't told anything. */
  length: number;
}

/** An open request, and the procedure whose run asks it. */
export interface IndexedRequest extends HumanRequest {
  procedure: string;
}

export interface Paged {
  limit: number;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface IndexedRunFilter extends Paged {
  status?: string | undefined;
  procedure?: string | undefined;
  /** How the id begins. */
  prefix?: string | undefined;
  isOpen?: boolean;
  /** Those that it has, all of them. */
  labels?: Labels | undefined;
  /** Id of the run that it was forked from. */
  forkedFrom?: string | undefined;
  /** Started then or later; ISO 8601, UTC. */
  since?: string | undefined;
  /** Started before that. */
  until?: string | undefined;
}

/** Which runs are counted. */
export type RunCountFilter = Omit<IndexedRunFilter, 'limit' | 'after'>;

/** Ids between two bounds, in the order of their characters. */
export interface IndexedIdFilter {
  status?: RunStatus | undefined;
  /** The first is this one, or behind it. */
  from: string;
  /** The first is behind `from`. */
  isBehind: boolean;
  /** All are before it; null: to the end. */
  before: string | null;
  /** Left out: all. */
  limit?: number | undefined;
}

export interface IndexedRequestFilter extends Paged {
  /** Of one of these runs, some hundreds at most. */
  runIds?: readonly string[] | undefined;
  procedure?: string | undefined;
  kind?: HumanRequestKind | undefined;
  /** What this person may decide: by name, or where anybody may, and not what they ask themselves. */
  approver?: string | undefined;
  /** What the message says somewhere, in capitals or not. */
  text?: string | undefined;
  /** Asked then or before; ISO 8601, UTC. */
  askedBefore?: string | undefined;
}

/** `next` is where to go on, null at the end. It stays right whatever is written in between. */
export interface IndexPage<T> {
  items: T[];
  next: string | null;
}

export interface IndexCounts {
  runs: number;
  /** Open ones, of all runs. */
  requests: number;
  byStatus: Partial<Record<RunStatus, number>>;
}

/** Open runs and requests by what they are about, the most frequent first, and so many groups at most. */
export interface OpenCounts {
  runs: { procedure: string; status: RunStatus; count: number }[];
  /** By who may decide. `counts`: one for each bound of age, of those that are younger, and older than the bound before; the last of all others. */
  requests: { approvers: string[]; counts: number[]; oldestAt: string }[];
}

/** A worker that writes what its runs tell. One that is gone without having left may have taken something with it. */
export interface Feeder {
  id: string;
  host: string;
  pid: number;
  /** In ms since 1970. */
  seenAt: number;
}

/**
 * What runs there are and what they ask, to be read without asking them. A copy of what the runs and the server know: it may
 * be lost, and is made again from them.
 */
export interface RunIndex {
  /** All of it or nothing. Of what is told of a run, the highest version stays, in whatever order and however often it comes. */
  write(changes: readonly IndexChange[]): Promise<void>;
  forget(runIds: readonly string[]): Promise<void>;
  /** The newest first. @throws TactusError usage where `after` is no `next`, or `limit` no number from 1 */
  runs(filter: IndexedRunFilter): Promise<IndexPage<IndexedRun>>;
  /** Ids in the order of their characters. */
  ids(filter: IndexedIdFilter): Promise<string[]>;
  /** Runs by their ids; those that it doesn't have are left out. */
  find(runIds: readonly string[]): Promise<IndexedRun[]>;
  /** What an execution of a run answered last, packed; null: it isn't kept. */
  answers(runId: string, execution: string): Promise<string | null>;
  /** The oldest first. @throws TactusError usage where `after` is no `next`, or `limit` no number from 1 */
  requests(filter: IndexedRequestFilter): Promise<IndexPage<IndexedRequest>>;
  counts(filter?: RunCountFilter): Promise<IndexCounts>;
  /** @param asked bounds of the age of requests, the newest first; ISO 8601, UTC */
  openCounts(asked: readonly string[]): Promise<OpenCounts>;
  /** Open runs whose last execution began before a time, in ms since 1970, and those that have ended before it. */
  countsBefore(at: number): Promise<{ open: number; closed: number }>;
  /** Open runs that have to be asked: they have told nothing, or what they ask is past its deadline. */
  unsure(now: Date): Promise<string[]>;
  /** The latest beginning or end of the server's list that is in it, in ms since 1970; null: nothing ever was. */
  caughtUpAt(): Promise<number | null>;
  setCaughtUp(at: number): Promise<void>;
  /** A worker writes here, or still does. */
  enter(feeder: Feeder): Promise<void>;
  leave(ids: readonly string[]): Promise<void>;
  feeders(): Promise<Feeder[]>;
  /** Whose runs these are: the first who claims it; what runs of others tell doesn't belong in it. */
  claim(owner: string): Promise<string>;
  /** Forgets everything but who writes to it. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
