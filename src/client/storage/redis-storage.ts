import type { RedisClientType } from '@redis/client';
import { TactusError } from '../../contract/errors.js';
import {
  columnsOf,
  emptyColumns,
  hasRows,
  markColumns,
  markIn,
  PartsStorage,
  toColumns,
  type Appending,
  type Columns,
  type RecordParts,
} from './parts-storage.js';
import {
  emptyMetadata,
  fits,
  grown,
  inOrder,
  isBefore,
  readMark,
  type CheckpointEntry,
  type Growth,
  type MirrorMark,
  type ProcedureMetadata,
} from './procedure-metadata.js';
import { changeScript, RedisConnection, removeScript } from './redis-connection.js';
import {
  behind,
  checkFilter,
  checkProcedureId,
  compareIds,
  type CheckpointFilter,
} from './storage-backend.js';

/** Counted up with every change of what is kept how. */
const schemaVersion = 1;

/** The braces keep all in one shard, where there are several. */
const prefix = '{tactus}:';
const keys = {
  about: `${prefix}storage`,
  ids: `${prefix}ids`,
  changes: `${prefix}changes`,
  statuses: `${prefix}status:`,
  procedure: (id: string) => `${prefix}procedure:${id}`,
  log: (id: string) => `${prefix}log:${id}`,
};

/** What a change is: what goes, what is set, and what must be so before. */
interface Change {
  /** The number of the change that must have been the last one. */
  last?: string;
  /** How many entries must be there. */
  from?: number;
  /** Whether no more may be there. */
  isNext?: boolean;
  isAnew?: boolean;
  columns: Columns;
  entries?: readonly CheckpointEntry[];
}

/**
 * Keeps records in a Redis server, which machines may share; what it keeps over its own end is a matter of its configuration.
 * @throws TactusError usage, by everything, where a newer version of this package has written there
 */
export class RedisStorage extends PartsStorage {
  private constructor(private readonly connection: RedisConnection) {
    super('Redis');
  }

  /** @throws TactusError missing_package; usage where the address is none */
  static async open(address: string): Promise<RedisStorage> {
    return new RedisStorage(await RedisConnection.open(address, checkSchema));
  }

  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    const { status, prefix: begin = '', limit, after = '' } = filter;
    const key = status === undefined ? keys.ids : keys.statuses + JSON.stringify(status);
    const first = compareIds(after, begin) < 0 || after === '' ? `[${begin}` : `(${after}`;
    const end = behind(begin);
    const client = await this.connection.client();
    return client.zRange(key, first, end === null ? '+' : `(${end}`, {
      BY: 'LEX',
      ...(limit === undefined ? {} : { LIMIT: { offset: 0, count: limit } }),
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  protected async readParts(procedureId: string): Promise<RecordParts | null> {
    return (await this.#look(procedureId))?.parts ?? null;
  }

  protected async readState(procedureId: string): Promise<string | null> {
    checkProcedureId(procedureId);
    return (await this.connection.client()).hGet(keys.procedure(procedureId), 'state');
  }

  protected async writeColumns(procedureId: string, columns: Columns): Promise<void> {
    await this.#change(procedureId, { columns });
  }

  protected async writeRecord(procedureId: string, record: ProcedureMetadata): Promise<void> {
    await this.#change(procedureId, wholeOf(record));
  }

  protected async changeState(procedureId: string, change: (state: string | null) => string): Promise<void> {
    checkProcedureId(procedureId);
    const client = await this.connection.client();
    await untilDone(async () => {
      const [state = null, last] = await client.hmGet(keys.procedure(procedureId), ['state', 'change']);
      return this.#change(procedureId, { last: last ?? '0', columns: { state: change(state) } });
    });
  }

  protected async appendEntries(
    procedureId: string,
    growth: Growth,
    { isNext }: Appending,
  ): Promise<boolean> {
    const { from, status, waiting_on_message_id, state } = growth;
    const entries = inOrder(growth.entries);
    const columns = columnsOf({ status, waiting_on_message_id, state });
    const outcome = await this.#unlessBefore(procedureId, readMark(growth.mirrored), (marked) =>
      hasRows(entries)
        ? this.#change(procedureId, {
            ...{ ...marked, from, isNext, entries },
            columns: { ...columns, ...marked.columns },
          })
        : Promise.resolve('odd'),
    );
    if (outcome !== 'odd') return outcome !== 'lacking';
    return (await untilDone(() => this.#appendToWhole(procedureId, growth, isNext))) === 'done';
  }

  protected async supersedeRecord(procedureId: string, record: ProcedureMetadata): Promise<boolean> {
    const outcome = await this.#unlessBefore(procedureId, readMark(record.mirrored), ({ last }) =>
      this.#change(procedureId, { ...wholeOf(record), ...(last === undefined ? {} : { last }) }),
    );
    return outcome === 'done';
  }

  /** Changes a record by what has a mark, where the record's own doesn't come after it: else `behind`. Without a mark, at once. */
  async #unlessBefore(
    procedureId: string,
    mirrored: MirrorMark | null,
    change: (marked: Pick<Change, 'last' | 'columns'>) => Promise<string>,
  ): Promise<string> {
    if (mirrored === null) return change({ columns: {} });
    checkProcedureId(procedureId);
    const client = await this.connection.client();
    return untilDone(async () => {
      const [others = null, last] = await client.hmGet(keys.procedure(procedureId), ['others', 'change']);
      if (isBefore(mirrored, markIn({ others }))) return 'behind';
      return change({ last: last ?? '0', columns: markColumns({ others }, mirrored) });
    });
  }

  protected async removeRecord(procedureId: string): Promise<void> {
    checkProcedureId(procedureId);
    const client = await this.connection.client();
    await client.eval(removeScript, {
      keys: [keys.procedure(procedureId), keys.log(procedureId), keys.ids],
      arguments: [procedureId, keys.statuses],
    });
  }

  async #appendToWhole(procedureId: string, growth: Growth, isNext: boolean): Promise<string> {
    const found = await this.#look(procedureId);
    const record = found === null ? emptyMetadata(procedureId) : this.recordOf(procedureId, found.parts);
    if (!fits(record.execution_log.length, growth, isNext)) return 'lacking';
    return this.#change(procedureId, { ...wholeOf(grown(record, [growth])), last: found?.last ?? '0' });
  }

  /** A record, with the number of its last change. */
  async #look(procedureId: string): Promise<{ parts: RecordParts; last: string } | null> {
    checkProcedureId(procedureId);
    const client = await this.connection.client();
    const replies = await client
      .multi()
      .hGetAll(keys.procedure(procedureId))
      .hGetAll(keys.log(procedureId))
      .exec();
    // eslint-disable-next-line no-restricted-syntax -- the client has one type for all replies; these are two hashes
    const [found = {}, entries = {}] = replies as unknown as Record<string, string>[];
    const { change: last, odd_log, ...columns } = found;
    if (last === undefined) return null;
    const log = Object.entries(entries).sort(([a], [b]) => Number(a) - Number(b));
    return {
      parts: { columns: { ...columns, odd_log: odd_log || null }, log: log.map(([, text]) => text) },
      last,
    };
  }

  async #change(
    procedureId: string,
    { last = '', from, isNext = false, isAnew = false, columns, entries = [] }: Change,
  ): Promise<string> {
    checkProcedureId(procedureId);
    const client = await this.connection.client();
    const outcome = await client.eval(changeScript, {
      keys: [keys.procedure(procedureId), keys.log(procedureId), keys.ids, keys.changes],
      arguments: [
        ...[procedureId, keys.statuses, last, from === undefined ? '' : `${isNext ? '=' : ''}${from}`],
        isAnew ? 'anew' : '',
        ...[columns, emptyColumns].flatMap(pairs),
        ...entries.flatMap((entry) => [String(entry.position), JSON.stringify(entry)]),
      ],
    });
    // eslint-disable-next-line no-restricted-syntax -- the client has one type for all replies; the script gives a text
    return outcome as unknown as string;
  }
}

/** @throws TactusError usage */
async function checkSchema(client: RedisClientType): Promise<void> {
  await client.hSetNX(keys.about, 'schema', String(schemaVersion));
  const found = Number(await client.hGet(keys.about, 'schema'));
  if (found <= schemaVersion) return;
  throw new TactusError(
    'usage',
    `The storage was made by a newer version of tactus-temporal (schema ${found})`,
  );
}

/** Somebody else may come between a look and the change that follows from it: then it is looked again. */
async function untilDone(attempt: () => Promise<string>): Promise<string> {
  for (;;) {
    const outcome = await attempt();
    if (outcome !== 'overtaken') return outcome;
  }
}

function wholeOf(record: ProcedureMetadata): Change {
  const columns = toColumns(record);
  return { isAnew: true, columns, entries: columns['odd_log'] === null ? record.execution_log : [] };
}

/** Their number, and each with its value; no value is the empty text, which is no JSON. */
function pairs(columns: Columns): string[] {
  const all = Object.entries(columns);
  return [String(all.length), ...all.flatMap(([name, value]) => [name, String(value ?? '')])];
}
