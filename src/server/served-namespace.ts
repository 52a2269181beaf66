import type { SigningKey } from '../authority/signature.js';
import {
  type Asking,
  askingWithin,
  listRuns,
  type StartOptions,
  type TactusClient,
} from '../client/index.js';
import { TactusError } from '../contract/errors.js';
import type { ProcedureSource } from '../contract/procedures/source.js';
import type { IndexedRun, IndexedRunFilter } from '../read-model/run-index.js';
import type { ListedPayloadStore } from '../worker/payloads/index.js';
import type { ListedRun, RunPage } from './runs/run.schema.js';

/** A procedure that may be started by its name. */
export interface FoundProcedure {
  source: ProcedureSource;
  options: Omit<StartOptions, 'runId' | 'task'>;
}

/** Procedures that the server starts. */
export interface Procedures {
  /** Their names, in order. */
  list(): Promise<string[]>;
  /** @throws TactusError source_not_found, source_invalid, config_invalid */
  find(name: string): Promise<FoundProcedure>;
  /** What published procedures are started with. @throws TactusError config_invalid */
  publishedOptions(): Promise<FoundProcedure['options']>;
}

/** A namespace of Temporal's, and what belongs to it. */
export interface ServedNamespace {
  name: string;
  tactus: TactusClient;
  /** It has an index of its runs. */
  isIndexed: boolean;
  /** Where files of people are kept; null: they can't be handed in. */
  files: ListedPayloadStore | null;
  /** Signs decisions for those who have proved a name; null: runs that want signatures take none from here. */
  signingKey: SigningKey | null;
  /** Told of what goes wrong here. */
  onTrouble: (problem: string) => void;
}

/** How long a worker's answer is waited for, in ms: people look on. */
const answerMs = 10_000;

/** How runs of a namespace are asked, bounded in time. @throws TactusError no_worker */
export function askingOf({ tactus }: ServedNamespace): Asking {
  return {
    ...askingWithin(tactus.client, answerMs),
    last: (runId, execution) => tactus.lastAnswers(runId, execution),
  };
}

interface RunSearch extends IndexedRunFilter {
  /** Found in id or procedure. */
  text?: string | undefined;
}

/** So many runs are looked through for a text before a page ends, however few it holds. */
const mostLookedAt = 2_000;

/**
 * Runs, the newest first.
 * @throws TactusError usage where `after` is no `next`
 */
export async function runPage(namespace: ServedNamespace, { text, ...filter }: RunSearch): Promise<RunPage> {
  if (text === undefined) return list(namespace, filter);
  const wanted = text.toLowerCase();
  const found: ListedRun[] = [];
  let { after } = filter;
  for (let lookedAt = 0; ; lookedAt += filter.limit) {
    // No more than are missing: where a page ends is where the last list has.
    const page = { ...filter, after, limit: filter.limit - found.length };
    const { source, runs, next } = await list(namespace, page);
    found.push(
      ...runs.filter(({ run_id, procedure }) => `${run_id}\n${procedure}`.toLowerCase().includes(wanted)),
    );
    if (next === null || found.length === filter.limit || lookedAt >= mostLookedAt)
      return { source, runs: found, next };
    after = next;
  }
}

async function list(namespace: ServedNamespace, filter: IndexedRunFilter): Promise<RunPage> {
  const { tactus } = namespace;
  const { look } = askingOf(namespace);
  try {
    const { source, runs, next } = await look(() => tactus.list(filter));
    return { source, runs: source === 'index' ? runs.map(shown) : runs, next };
  } catch (error) {
    if (!isAway(namespace, error)) throw error;
    return { source: 'runs', ...(await listRuns(tactus.client, filter)) };
  }
}

function shown({ execution: _, isFinal: _final, length: _length, ...run }: IndexedRun): ListedRun {
  return run;
}

/** Whether an error is an index's that can't be used: a full disk, a database that is away. The runs know all of it, too. */
export function isAway({ isIndexed, onTrouble }: ServedNamespace, error: unknown): boolean {
  if (!isIndexed || error instanceof TactusError) return false;
  onTrouble(`the index can't be used, the runs are asked: ${String(error)}`);
  return true;
}
