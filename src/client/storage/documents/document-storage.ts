import {
  columnsOf,
  hasRows,
  markColumns,
  markIn,
  PartsStorage,
  type Appending,
  type Columns,
  type RecordParts,
} from '../parts-storage.js';
import {
  emptyMetadata,
  fits,
  grown,
  inOrder,
  isBefore,
  readMark,
  type Growth,
  type MirrorMark,
  type ProcedureMetadata,
} from '../procedure-metadata.js';
import { checkFilter, checkProcedureId, type CheckpointFilter } from '../storage-backend.js';
import { ensureSchema, type DocumentStore, type Head } from './document-store.js';
import { HeadChanges, letOthersEnd, type ChangeOutcome, type HeadChange } from './head-changes.js';
import {
  countOf,
  isOdd,
  noContent,
  readPartsOf,
  recordIn,
  refsOf,
  textIn,
  toHeadContent,
  whole,
  withColumns,
  withLog,
  type HeadContent,
} from './kept-record.js';

/**
 * Keeps records in a store of documents, which processes may share. A change writes parts under new names, then the head in
 * place of the one that it read, then removes what nobody refers to any more: whoever dies in between leaves the old record
 * whole, and parts that the next one who writes parts removes.
 * @throws TactusError usage, by everything, where a newer version of this package has written there; file_failed where the
 * store can't be reached, or refuses
 */
export class DocumentStorage<H extends Head> extends PartsStorage {
  readonly #changes: HeadChanges<H>;
  #prepared: Promise<void> | null = null;

  constructor(private readonly store: DocumentStore<H>) {
    super(store.name);
    this.#changes = new HeadChanges(store, (procedureId, head) => this.#contentOf(procedureId, head));
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

  protected async appendEntries(
    procedureId: string,
    growth: Growth,
    { isNext }: Appending,
  ): Promise<boolean> {
    const entries = inOrder(growth.entries);
    const mirrored = readMark(growth.mirrored);
    const outcome = await this.#change(procedureId, async (content, draft, head) => {
      const marked = await this.#marked(procedureId, content, head, mirrored);
      if (typeof marked === 'string') return marked;
      if (isOdd(content) || !hasRows(entries)) return 'odd';
      if (!fits(countOf(content.positions), growth, isNext)) return 'lacking';
      const longer = await withLog(content, entries, draft);
      if (longer === null) return 'odd';
      const { status, waiting_on_message_id, state } = growth;
      const replay_index = countOf(longer.positions);
      const columns = columnsOf({ status, waiting_on_message_id, state, replay_index });
      return withColumns(longer, { ...columns, ...marked }, draft);
    });
    return (
      (outcome === 'odd' ? await this.#appendToWhole(procedureId, growth, isNext) : outcome) !== 'lacking'
    );
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

  #appendToWhole(procedureId: string, growth: Growth, isNext: boolean): Promise<ChangeOutcome> {
    return this.#change(
      procedureId,
      async (_, draft, head) => {
        const content = head === null ? noContent : this.#contentOf(procedureId, head);
        const parts = await this.#within(procedureId, head, () => this.#recordParts(procedureId, content));
        if (parts === null) return 'overtaken';
        const record = head === null ? emptyMetadata(procedureId) : this.recordOf(procedureId, parts);
        if (isBefore(readMark(growth.mirrored), readMark(record.mirrored))) return 'late';
        if (!fits(record.execution_log.length, growth, isNext)) return 'lacking';
        return whole(grown(record, [growth]), draft);
      },
      { isWhole: true },
    );
  }

  /** Makes a change of what is there. `isWhole`: of all of it, whatever it was. */
  async #change(
    procedureId: string,
    change: HeadChange<H>,
    options?: { isWhole: boolean },
  ): Promise<ChangeOutcome> {
    checkProcedureId(procedureId);
    await this.#ready();
    return this.#changes.make(procedureId, change, options);
  }

  #contentOf(procedureId: string, head: H): HeadContent {
    return this.reading(procedureId, () => toHeadContent(head.text));
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
