import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { lackedBy } from '../../../log/pages.js';
import { isBefore, readMark, type MirrorMark } from '../mirror-mark.js';
import {
  columnsOf,
  hasRows,
  markColumns,
  markIn,
  PartsStorage,
  type Columns,
  type RecordParts,
} from '../parts-storage.js';
import { checkProcedureId } from '../procedure-id.js';
import { emptyMetadata, grown, inOrder, type Growth, type ProcedureMetadata } from '../procedure-metadata.js';
import { checkFilter, type CheckpointFilter } from '../storage-backend.js';
import { ensureSchema, type DocumentStore, type Head, type HeadOutcome } from './document-store.js';
import {
  countOf,
  isOdd,
  noContent,
  recordIn,
  refsOf,
  toHeadContent,
  whole,
  withColumns,
  withLog,
  type HeadContent,
} from './kept-record.js';
import { behindChange, Draft, namesOf, readPartsOf, textIn } from './parts.js';

/**
 * What came of a change; nothing was done where entries before are `lacking`, the log is kept as a whole (`odd`), or what is there was
 * told after it (`late`).
 */
type Outcome = 'done' | 'lacking' | 'odd' | 'late';

/** What a change makes of what is there. `overtaken`: somebody else has changed it since. */
type Change<H> = (
  content: HeadContent,
  draft: Draft,
  head: H | null,
) => Promise<HeadContent | Exclude<Outcome, 'done'> | 'overtaken'>;

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
 * Keeps records in a store of documents, which processes may share. A change writes parts under new names, then the head in
 * place of the one that it read, then removes what nobody refers to any more: whoever dies in between leaves the old record
 * whole, and parts that the next one who writes parts removes.
 * @throws TactusError usage, by everything, where a newer version of this package has written there; file_failed where the
 * store can't be reached, or refuses
 */
export class DocumentStorage<H extends Head> extends PartsStorage {
  #prepared: Promise<void> | null = null;

  constructor(private readonly store: DocumentStore<H>) {
    super(store.name);
  }

  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    await this.#ready();
    const { status, ...others } = filter;
    return this.store.list(status === undefined ? others : { ...others, status: JSON.stringify(status) });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  protected async readParts(procedureId: string): Promise<RecordParts | null> {
    return this.#look(procedureId, (content) => this.#recordParts(procedureId, content));
  }

  protected async readState(procedureId: string): Promise<string | null> {
    return this.#look(procedureId, (content) => this.#columnText(procedureId, content, 'state'));
  }

  protected async writeColumns(procedureId: string, columns: Columns): Promise<void> {
    await this.#change(procedureId, (content, draft) => withColumns(content, columns, draft));
  }

  protected async writeRecord(procedureId: string, record: ProcedureMetadata): Promise<void> {
    await this.#change(procedureId, (_, draft) => whole(record, draft), { isWhole: true });
  }

  protected async supersedeRecord(procedureId: string, record: ProcedureMetadata): Promise<boolean> {
    const mirrored = readMark(record.mirrored);
    const outcome = await this.#change(
      procedureId,
      async (content, draft) => {
        const known = mirrored === null ? null : await this.#markOf(procedureId, content);
        return isBefore(mirrored, known) ? 'late' : whole(record, draft);
      },
      { isWhole: true },
    );
    return outcome === 'done';
  }

  protected async changeState(procedureId: string, change: (state: string | null) => string): Promise<void> {
    await this.#change(procedureId, async (content, draft, head) => {
      const state = await this.#within(procedureId, head, () =>
        this.#columnText(procedureId, content, 'state'),
      );
      return state === null ? 'overtaken' : withColumns(content, { state: change(state) }, draft);
    });
  }

  protected async appendEntries(procedureId: string, growth: Growth): Promise<boolean> {
    const entries = inOrder(growth.entries);
    const mirrored = readMark(growth.mirrored);
    const outcome = await this.#change(procedureId, async (content, draft, head) => {
      const marked = await this.#marked(procedureId, content, head, mirrored);
      if (typeof marked === 'string') return marked;
      if (isOdd(content) || !hasRows(entries)) return 'odd';
      if (lackedBy(countOf(content.positions), growth) === null) return 'lacking';
      const longer = await withLog(content, entries, draft);
      if (longer === null) return 'odd';
      const { status, waiting_on_message_id, state } = growth;
      const replay_index = countOf(longer.positions);
      const columns = columnsOf({ status, waiting_on_message_id, state, replay_index });
      return withColumns(longer, { ...columns, ...marked }, draft);
    });
    return (outcome === 'odd' ? await this.#appendToWhole(procedureId, growth) : outcome) !== 'lacking';
  }

  /** The columns in which a mark is kept; none without one. */
  async #marked(
    procedureId: string,
    content: HeadContent,
    head: H | null,
    mirrored: MirrorMark | null,
  ): Promise<Columns | 'late' | 'overtaken'> {
    if (mirrored === null) return {};
    const others = await this.#within(procedureId, head, () =>
      this.#columnText(procedureId, content, 'others'),
    );
    if (others === null) return 'overtaken';
    return isBefore(mirrored, markIn({ others })) ? 'late' : markColumns({ others }, mirrored);
  }

  protected async removeRecord(procedureId: string): Promise<void> {
    checkProcedureId(procedureId);
    await this.#ready();
    for (let attempt = 0; ; attempt++) {
      const head = await this.store.readHead(procedureId);
      if (head === null) return;
      const names = await this.store.partNames(procedureId, '');
      if (await this.store.removeHead(procedureId, head)) return this.store.removeParts(procedureId, names);
      await letOthersEnd(attempt);
    }
  }

  #appendToWhole(procedureId: string, growth: Growth): Promise<Outcome> {
    return this.#change(
      procedureId,
      async (_, draft, head) => {
        const content = head === null ? noContent : this.#contentOf(procedureId, head);
        const parts = await this.#within(procedureId, head, () => this.#recordParts(procedureId, content));
        if (parts === null) return 'overtaken';
        const record = head === null ? emptyMetadata(procedureId) : this.recordOf(procedureId, parts);
        if (isBefore(readMark(growth.mirrored), readMark(record.mirrored))) return 'late';
        if (lackedBy(record.execution_log.length, growth) === null) return 'lacking';
        return whole(grown(record, [growth]), draft);
      },
      { isWhole: true },
    );
  }

  /** Makes a change of what is there, again where somebody else was first. `isWhole`: of all of it, whatever it was. */
  async #change(procedureId: string, change: Change<H>, { isWhole = false } = {}): Promise<Outcome> {
    checkProcedureId(procedureId);
    await this.#ready();
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

  #contentOf(procedureId: string, head: H): HeadContent {
    return this.reading(procedureId, () => toHeadContent(head.text));
  }

  /** What is to be changed; a record that comes in place of all of it doesn't ask whether it can be read. */
  #contentBefore(procedureId: string, head: H | null, isWhole: boolean): HeadContent {
    if (head === null) return noContent;
    try {
      return this.#contentOf(procedureId, head);
    } catch (error) {
      if (!isWhole) throw error;
      return noContent;
    }
  }

  async #recordParts(procedureId: string, content: HeadContent): Promise<RecordParts | null> {
    const parts = refsOf(content).length === 0 ? new Map() : await this.store.readParts(procedureId);
    return this.reading(procedureId, () => recordIn(content, parts));
  }

  /** The mark of a record; null also where it can't be read: such a record is replaced. */
  async #markOf(procedureId: string, { columns, large }: HeadContent): Promise<MirrorMark | null> {
    const ref = large['others'];
    if (ref === undefined) return markIn(columns);
    const parts = await readPartsOf(this.store, procedureId, ref);
    try {
      return markIn({ others: textIn(parts, ref) });
    } catch {
      return null;
    }
  }

  async #columnText(
    procedureId: string,
    { columns, large }: HeadContent,
    name: 'state' | 'others',
  ): Promise<string | null> {
    const ref = large[name];
    if (ref === undefined) return String(columns[name]);
    const parts = await readPartsOf(this.store, procedureId, ref);
    return this.reading(procedureId, () => textIn(parts, ref));
  }

  async #look<T>(procedureId: string, read: (content: HeadContent) => Promise<T | null>): Promise<T | null> {
    checkProcedureId(procedureId);
    await this.#ready();
    for (;;) {
      const head = await this.store.readHead(procedureId);
      if (head === null) return null;
      const content = this.#contentOf(procedureId, head);
      const found = await this.#within(procedureId, head, () => read(content));
      if (found !== null) return found;
    }
  }

  /** What is read of a head's parts. Null where another head is there by now, and may have taken them away. */
  async #within<T>(procedureId: string, head: H | null, read: () => Promise<T | null>): Promise<T | null> {
    const found = await read();
    if (found !== null) return found;
    const now = await this.store.readHead(procedureId);
    if (now?.version !== head?.version) return null;
    return this.reading(procedureId, () => {
      throw new Error('a part of it is gone');
    });
  }

  async #ready(): Promise<void> {
    const preparing = (this.#prepared ??= ensureSchema(this.store));
    await preparing.catch((error: unknown) => {
      if (this.#prepared === preparing) this.#prepared = null;
      throw error;
    });
  }
}

/** Whether parts come or go with it, of which some may be left behind that somebody else has written. */
function needsSweep<H>({ head, content, draft, after, isWhole }: Turn<H>): boolean {
  if (draft.names.length > 0) return true;
  if (isWhole) return refsOf(content).length > 0 || (head !== null && content === noContent);
  return Object.keys(content.large).length > Object.keys(after.large).length;
}

/** Whoever was first is let end: others wait for different times. */
async function letOthersEnd(attempt: number): Promise<void> {
  await pause(Math.random() * Math.min(longestPauseMs, 10 * 2 ** attempt));
}
