import { listRuns, viewRun } from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';
import { comparePositions } from '../../contract/checkpoints/checkpoint.js';
import { askingOf, isAway, type ServedNamespace } from '../served-namespace.js';
import type { IndexedRequest } from '../../read-model/run-index.js';
import type { RequestPage } from './request.schema.js';

const mostRuns = 1_000;
const pageSize = 1_000;
const atOnce = 8;
/** Those who ask within so many ms get the same answer. */
const freshMs = 500;

/** Open requests of all runs of a namespace, the oldest first, and the runs whose requests aren't among them. */
export type Board = Omit<RequestPage, 'next'>;
type Missing = RequestPage['missing'][number];

interface Told {
  /** Of the run's history, when it told this: nothing is new as long as that hasn't grown. */
  at: string;
  requests: IndexedRequest[];
}

/**
 * What the runs of a namespace ask people. Each is asked only when its history has grown since it was asked last, which the
 * server knows without a worker.
 */
export class RequestBoard {
  private readonly told = new Map<string, Told>();
  private last: { at: number; board: Promise<Board> } | null = null;

  constructor(private readonly namespace: ServedNamespace) {}

  look(): Promise<Board> {
    const now = Date.now();
    if (this.last !== null && now - this.last.at < freshMs) return this.last.board;
    const board = this.ask();
    this.last = { at: now, board };
    // Those who come later wait for nothing that is old.
    const done = (): void => void (this.last?.board === board && (this.last = { at: Date.now(), board }));
    board.then(done, () => (this.last = null));
    return board;
  }

  /** What becomes known by a decision is seen at once. */
  forget(): void {
    this.last = null;
  }

  private async ask(): Promise<Board> {
    if (!this.namespace.isIndexed) return this.askRuns();
    try {
      return await this.readIndex();
    } catch (error) {
      if (!isAway(this.namespace, error)) throw error;
      return this.askRuns();
    }
  }

  private async readIndex(): Promise<Board> {
    const { tactus } = this.namespace;
    const { look } = askingOf(this.namespace);
    const requests: IndexedRequest[] = [];
    const missing: Missing[] = [];
    for (let after: string | undefined; ;) {
      const page = await look(() => tactus.openRequests({ limit: pageSize, after }));
      requests.push(...page.requests);
      missing.push(...page.missing);
      if (page.next === null) return { source: 'index', requests: heardOf(requests, missing), missing };
      after = page.next;
    }
  }

  private async askRuns(): Promise<Board> {
    const { runs, next } = await listRuns(this.namespace.tactus.client, { isOpen: true, limit: mostRuns });
    const ids = runs.map(({ run_id }) => run_id);
    for (const id of this.told.keys()) if (!ids.includes(id)) this.told.delete(id);
    const requests: IndexedRequest[] = [];
    const missing: Missing[] = [];
    if (next !== null)
      missing.push({ run_id: '', reason: `only the newest ${mostRuns} open runs are asked` });
    let isAnswered = false;
    for (let i = 0; i < ids.length; i += atOnce) {
      const before = missing.length;
      const part = ids.slice(i, i + atOnce);
      await Promise.all(
        part.map(async (id) => {
          try {
            requests.push(...(await this.requestsOf(id)));
            isAnswered = true;
          } catch (error) {
            if (!(error instanceof TactusError)) throw error;
            if (error.code !== 'run_not_found') missing.push({ run_id: id, reason: error.message });
            if (error.code !== 'no_worker') isAnswered = true;
          }
        }),
      );
      const reason = missing[before]?.reason;
      if (isAnswered || reason === undefined) continue;
      // Where nobody answered for the first, nobody would for the others, which would each be waited for.
      missing.push(...ids.slice(i + atOnce).map((run_id) => ({ run_id, reason })));
      break;
    }
    return { source: 'runs', requests: requests.sort(byCreation), missing };
  }

  private async requestsOf(id: string): Promise<IndexedRequest[]> {
    const run = this.namespace.tactus.attach(id);
    const asking = askingOf(this.namespace);
    const { runId, historyLength } = await asking.look(() => run.handle.describe());
    const at = `${runId} ${historyLength}`;
    const known = this.told.get(id);
    if (known?.at === at) return known.requests;
    const { pending, procedure, stuck } = await viewRun(run, asking);
    if (stuck !== null) throw new TactusError('run_stuck', `${id} is stuck: ${stuck.message}`);
    const requests = pending.map((request) => ({ ...request, procedure }));
    this.told.set(id, { at, requests });
    return requests;
  }
}

/** What a run had asked that can't be asked now may be answered. */
export function heardOf(requests: IndexedRequest[], missing: readonly Missing[]): IndexedRequest[] {
  const unheard = new Set(missing.map(({ run_id }) => run_id));
  return requests.filter(({ run_id }) => !unheard.has(run_id));
}

export function byCreation(a: IndexedRequest, b: IndexedRequest): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.run_id === b.run_id ? comparePositions(a.position, b.position) : a.run_id < b.run_id ? -1 : 1;
}
