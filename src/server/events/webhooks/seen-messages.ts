import type { SqlConnection } from '../../../read-model/sql-connection.js';
import { SqliteConnection } from '../../../read-model/sqlite-connection.js';
import { TactusError } from '../../../contract/errors.js';

/** Messages of webhooks that a run has been sent: one that comes again is sent to no run. */
export interface SeenMessages {
  has(digest: string): Promise<boolean>;
  /** @param until ms since 1970 after which it may be forgotten; null: never */
  add(digest: string, until: number | null): Promise<void>;
  close(): Promise<void>;
}

/** Forgets the oldest beyond so many. */
const mostInMemory = 100_000;

/** Keeps them for as long as the process lasts. */
export class SeenInMemory implements SeenMessages {
  private readonly digests = new Set<string>();

  has(digest: string): Promise<boolean> {
    return Promise.resolve(this.digests.has(digest));
  }

  add(digest: string): Promise<void> {
    this.digests.add(digest);
    const [oldest] = this.digests;
    if (this.digests.size > mostInMemory && oldest !== undefined) this.digests.delete(oldest);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Keeps them in a file of SQLite, which servers of one machine may share. */
export class SeenInFile implements SeenMessages {
  private constructor(private readonly database: SqlConnection) {}

  /** @throws TactusError config_invalid where the file can't be had; usage where this Node has no SQLite */
  static async open(path: string): Promise<SeenInFile> {
    try {
      const database = await SqliteConnection.open(path);
      await database.query(
        'CREATE TABLE IF NOT EXISTS seen (digest TEXT PRIMARY KEY, until INTEGER) WITHOUT ROWID',
      );
      await database.query('CREATE INDEX IF NOT EXISTS ends ON seen (until) WHERE until IS NOT NULL');
      return new SeenInFile(database);
    } catch (error) {
      if (error instanceof TactusError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new TactusError(
        'config_invalid',
        `${path}, the list of webhook messages that were received, can't be opened: ${reason}. Name another file by server.webhooks_file`,
      );
    }
  }

  async has(digest: string): Promise<boolean> {
    return (await this.database.query('SELECT 1 FROM seen WHERE digest = ?', [digest])).length > 0;
  }

  async add(digest: string, until: number | null): Promise<void> {
    await this.database.query('DELETE FROM seen WHERE until < ?', [Date.now()]);
    await this.database.query('INSERT OR REPLACE INTO seen VALUES (?, ?)', [digest, until]);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
