import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMissing, writeAtomically, writeOnce } from '../../../../client/storage/index.js';
import { sha256Hex } from '../../../../contract/effects/digest.js';
import { TactusError } from '../../../../contract/errors.js';

/** What is kept of the key of a subject. */
export interface SubjectRecord {
  version: 1;
  /** By which payloads name the key. */
  id: string;
  /** ISO 8601 in UTC, as is `destroyed_at`. */
  created_at: string;
  /** Left out, with the two below, once the key was destroyed. */
  subject?: string;
  /** Id of the key of the configuration that it is encrypted with. */
  master?: string;
  /** The encrypted key, as base64. */
  wrapped?: string;
  destroyed_at?: string;
}

const lockedMs = 5_000;
const againMs = 50;

/**
 * The keys of subjects in a folder, which all workers and commands share: a file for each subject, by the hash of its name, and one for each id that payloads
 * name, with that hash. A file is there as a whole or not at all, and the first process to write one wins.
 */
export class SubjectRecords {
  constructor(readonly folder: string) {}

  /** @throws TactusError file_failed of what is damaged */
  async read(hash: string): Promise<SubjectRecord | null> {
    const text = await readIfThere(join(this.folder, `${hash}.json`));
    if (text === null) return null;
    try {
      const record = JSON.parse(text) as SubjectRecord;
      if (typeof record.id === 'string') return record;
    } catch {
      // Told below.
    }
    throw new TactusError('file_failed', `The key of a subject, ${hash}.json in ${this.folder}, is damaged`);
  }

  /** The hash of the subject whose key has this id; null where there is none. */
  async hashOf(id: string): Promise<string | null> {
    return /^[\da-f-]{36}$/.test(id) ? readIfThere(this.idPath(id)) : null;
  }

  /** @returns what is kept then: of whoever was first */
  async create(hash: string, record: SubjectRecord): Promise<SubjectRecord> {
    const isFirst = await writeOnce(join(this.folder, `${hash}.json`), textOf(record));
    return isFirst ? record : ((await this.read(hash)) ?? record);
  }

  /** Makes a key known by its id, which it must be before it encrypts anything. */
  async name({ id }: SubjectRecord, hash: string): Promise<void> {
    if ((await readIfThere(this.idPath(id))) !== hash) await writeAtomically(this.idPath(id), hash);
  }

  /** All hashes of subjects. */
  async hashes(): Promise<string[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return names.flatMap((name) => /^([\da-f]{64})\.json$/.exec(name)?.[1] ?? []).sort();
  }

  /**
   * Changes a record while no other process does: what was destroyed can't come back.
   * @param change gives what is kept from then on; null leaves it
   * @throws TactusError file_failed where another process has the lock for long
   */
  async change(
    hash: string,
    change: (record: SubjectRecord) => SubjectRecord | null,
  ): Promise<SubjectRecord | null> {
    const lock = join(this.folder, `${hash}.lock`);
    await this.locked(lock);
    try {
      const record = await this.read(hash);
      const next = record === null ? null : change(record);
      if (next !== null) await writeAtomically(join(this.folder, `${hash}.json`), textOf(next));
      return next ?? record;
    } finally {
      await rmdir(lock);
    }
  }

  private async locked(lock: string): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    for (const end = performance.now() + lockedMs; ;) {
      try {
        await mkdir(lock);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      if (performance.now() > end)
        throw new TactusError(
          'file_failed',
          `Another command changes the key of this subject. If none does, one was killed: remove the folder ${lock}`,
        );
      await delay(againMs);
    }
  }

  private idPath(id: string): string {
    return join(this.folder, 'ids', id);
  }
}

/** By which the file of a subject is found: a name may have characters that no file can. */
export function hashOfSubject(subject: string): string {
  return sha256Hex(subject);
}

function textOf(record: SubjectRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
