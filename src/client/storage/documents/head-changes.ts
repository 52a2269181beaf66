import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DocumentStore, Head, HeadOutcome } from './document-store.js';
import { behindChange, Draft, namesOf, noContent, refsOf, type HeadContent } from './kept-record.js';

/**
 * What came of a change; nothing was done where entries before are `lacking`, the log is kept as a whole (`odd`), or what is there was
 * told after it (`late`).
 */
export type ChangeOutcome = 'done' | 'lacking' | 'odd' | 'late';

/** What a change makes of what is there. `overtaken`: somebody else has changed it since. */
export type HeadChange<H> = (
  content: HeadContent,
  draft: Draft,
  head: H | null,
) => Promise<HeadContent | Exclude<ChangeOutcome, 'done'> | 'overtaken'>;

interface Turn<H> {
  head: H | null;
  content: HeadContent;
  draft: Draft;
  after: HeadContent;
  /** All is replaced that was there. */
  isWhole: boolean;
}

const longestPauseMs = 500;

/**
 * Changes records in a store that processes share. A change reads the head, writes parts under new names, and puts a new head in
 * place of the one that it read; where another process has replaced that one since, the change is made again.
 */
export class HeadChanges<H extends Head> {
  constructor(
    private readonly store: DocumentStore<H>,
    /** What a head holds. @throws TactusError file_failed where it can't be read */
    private readonly contentOf: (procedureId: string, head: H) => HeadContent,
  ) {}

  /** Makes a change of what is there, again where somebody else was first. `isWhole`: of all of it, whatever it was. */
  async make(procedureId: string, change: HeadChange<H>, { isWhole = false } = {}): Promise<ChangeOutcome> {
    for (let attempt = 0; ; attempt++) {
      const head = await this.store.readHead(procedureId);
      const content = this.#contentBefore(procedureId, head, isWhole);
      const draft = new Draft(this.store, procedureId, content.change + 1);
      const after = await change(content, draft, head);
      if (after === 'odd' || after === 'lacking' || after === 'late') {
        await this.store.removeParts(procedureId, draft.names);
        return after;
      }
      const turned =
        after === 'overtaken'
          ? after
          : await this.#turn(procedureId, { head, content, draft, after, isWhole });
      if (turned === 'done') return turned;
      if (turned === 'overtaken') await this.store.removeParts(procedureId, draft.names);
      await letOthersEnd(attempt);
    }
  }

  /** Puts a head in place of the one that was read, and removes what nobody refers to then. */
  async #turn(procedureId: string, turn: Turn<H>): Promise<HeadOutcome> {
    const { head, content, draft, after } = turn;
    const { change } = draft;
    const sweeps = needsSweep(turn);
    // All that is there before the head is written, but our own, belongs to somebody whose head would come too late.
    const unused = sweeps ? await this.#unused(procedureId, turn) : [];
    const swept = sweeps ? change : content.swept;
    const version = randomUUID();
    const text = JSON.stringify({ version, ...after, change, swept });
    const next = { version, status: String(after.columns['status']), text };
    const outcome = await this.store.writeHead(procedureId, next, head);
    if (outcome === 'done') await this.store.removeParts(procedureId, unused);
    return outcome;
  }

  /** The parts that no head will refer to once the turn is made. */
  async #unused(procedureId: string, { content, draft, after, isWhole }: Turn<H>): Promise<string[]> {
    const own = new Set(draft.names);
    const others = await this.store.partNames(procedureId, isWhole ? '' : behindChange(content.swept));
    const foreign = others.filter((name) => !own.has(name));
    if (isWhole) return foreign;
    const kept = new Set(Object.values(after.large).map(({ name }) => name));
    const dropped = Object.values(content.large).filter(({ name }) => !kept.has(name));
    return [...foreign, ...dropped.flatMap(namesOf)];
  }

  /** What is to be changed; a record that comes in place of all of it doesn't ask whether it can be read. */
  #contentBefore(procedureId: string, head: H | null, isWhole: boolean): HeadContent {
    if (head === null) return noContent;
    try {
      return this.contentOf(procedureId, head);
    } catch (error) {
      if (!isWhole) throw error;
      return noContent;
    }
  }
}

/** Whether parts come or go with it, of which some may be left behind that somebody else has written. */
function needsSweep<H>({ head, content, draft, after, isWhole }: Turn<H>): boolean {
  if (draft.names.length > 0) return true;
  if (isWhole) return refsOf(content).length > 0 || (head !== null && content === noContent);
  return Object.keys(content.large).length > Object.keys(after.large).length;
}

/** Whoever was first is let end: others wait for different times. */
export async function letOthersEnd(attempt: number): Promise<void> {
  await pause(Math.random() * Math.min(longestPauseMs, 10 * 2 ** attempt));
}
