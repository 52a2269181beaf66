import { randomBytes, randomUUID } from 'node:crypto';
import { TactusError } from '../../../../contract/errors.js';
import { CodecFault } from '../codec-fault.js';
import type { MasterKeys } from './master-keys.js';
import { keyBytes, seal, unseal } from './sealed-bytes.js';
import { hashOfSubject, SubjectRecords, type SubjectRecord } from './subject-records.js';

/** The key of a subject, as payloads name it. */
export interface SubjectKey {
  id: string;
  /** null: it was destroyed. */
  key: Buffer | null;
  destroyedAt: string | null;
}

/** What a person is told of the key of a subject. */
export interface ToldSubject {
  id: string;
  /** null: it was destroyed, and its name with it. */
  subject: string | null;
  created_at: string;
  destroyed_at: string | null;
  /** Id of the key of the configuration that it is encrypted with; null: it was destroyed. */
  master: string | null;
}

/** How long a process goes by what it has read, in ms: a key that is destroyed is forgotten by then. */
export const freshMs = 60_000;
const mostKnown = 10_000;

/** Makes, finds, destroys and wraps the keys of subjects. Each is encrypted with a key of the configuration. */
export class SubjectKeys {
  private readonly records: SubjectRecords;
  private readonly known = new Map<string, { at: number; key: Promise<SubjectKey | null> }>();

  /** @param current id of the key that encrypts those that are made, or wrapped again */
  constructor(
    folder: string,
    private readonly masters: MasterKeys,
    private readonly current: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.records = new SubjectRecords(folder);
  }

  get folder(): string {
    return this.records.folder;
  }

  /** The key of a subject, which is made where there is none. */
  async ofSubject(subject: string): Promise<SubjectKey> {
    const hash = hashOfSubject(subject);
    const key = await this.once(`subject ${hash}`, async () => {
      const record = (await this.records.read(hash)) ?? (await this.created(hash, subject));
      await this.records.name(record, hash);
      return this.opened(record, hash);
    });
    if (key === null) throw new TactusError('internal', 'a key that was made is not there');
    return key;
  }

  /** The key that payloads name so; null where the folder doesn't have it. */
  byId(id: string): Promise<SubjectKey | null> {
    return this.once(`id ${id}`, async () => {
      const hash = await this.records.hashOf(id);
      const record = hash === null ? null : await this.records.read(hash);
      return hash === null || record?.id !== id ? null : this.opened(record, hash);
    });
  }

  async list(): Promise<ToldSubject[]> {
    const found: ToldSubject[] = [];
    for (const hash of await this.records.hashes()) {
      const record = await this.records.read(hash);
      if (record !== null) found.push(told(record));
    }
    return found;
  }

  /** Destroys the key of a subject, and keeps when. null: there is none. */
  async destroy(subject: string): Promise<ToldSubject | null> {
    const at = new Date().toISOString();
    const record = await this.records.change(
      hashOfSubject(subject),
      ({ version, id, created_at, ...kept }) =>
        kept.destroyed_at === undefined ? { version, id, created_at, destroyed_at: at } : null,
    );
    this.known.clear();
    return record === null ? null : told(record);
  }

  /**
   * Encrypts all keys with the current key of the configuration.
   * @returns how many, of how many that there are
   */
  async rewrap(): Promise<{ keys: number; rewrapped: number }> {
    let keys = 0;
    let rewrapped = 0;
    for (const hash of await this.records.hashes())
      await this.records.change(hash, (record) => {
        if (record.destroyed_at !== undefined) return null;
        keys++;
        if (record.master === this.current) return null;
        const key = this.unwrapped(record, hash);
        rewrapped++;
        return { ...record, master: this.current, wrapped: this.wrapped(key, record.id, hash) };
      });
    return { keys, rewrapped };
  }

  private created(hash: string, subject: string): Promise<SubjectRecord> {
    const id = randomUUID();
    const wrapped = this.wrapped(randomBytes(keyBytes), id, hash);
    const created_at = new Date().toISOString();
    return this.records.create(hash, { version: 1, id, created_at, subject, master: this.current, wrapped });
  }

  private opened(record: SubjectRecord, hash: string): SubjectKey {
    const { id, destroyed_at: destroyedAt = null } = record;
    return { id, destroyedAt, key: destroyedAt === null ? this.unwrapped(record, hash) : null };
  }

  private wrapped(key: Buffer, id: string, hash: string): string {
    return seal(this.master(this.current), key, boundTo(id, hash)).toString('base64');
  }

  private unwrapped({ id, master = '', wrapped = '' }: SubjectRecord, hash: string): Buffer {
    const key = unseal(this.master(master), Buffer.from(wrapped, 'base64'), boundTo(id, hash));
    if (key !== null) return key;
    throw new CodecFault(
      'codec_failed',
      `The key of a subject, ${hash}.json in ${this.folder}, is damaged, or codec.encryption.keys.${master} names another key than the one that it was encrypted with`,
    );
  }

  private master(id: string): Buffer {
    const key = this.masters.get(id);
    if (key !== undefined) return key;
    throw new CodecFault(
      'codec_failed',
      `The key of a subject is encrypted with the key ${JSON.stringify(id)}, which is not among codec.encryption.keys (${[...this.masters.keys()].join(', ')}). Add this id there, with the variable that holds the key`,
    );
  }

  /** What was found in the last minute; what failed, or wasn't there, is looked for again. */
  private once(name: string, find: () => Promise<SubjectKey | null>): Promise<SubjectKey | null> {
    const before = this.known.get(name);
    if (before !== undefined && this.now() - before.at < freshMs) return before.key;
    const key = find();
    const entry = { at: this.now(), key };
    const forget = (): void => {
      if (this.known.get(name) === entry) this.known.delete(name);
    };
    key.then((found) => (found === null ? forget() : undefined), forget);
    this.known.delete(name);
    for (const oldest of this.known.keys()) {
      if (this.known.size < mostKnown) break;
      this.known.delete(oldest);
    }
    this.known.set(name, entry);
    return key;
  }
}

function told({ id, subject, created_at, destroyed_at, master }: SubjectRecord): ToldSubject {
  return {
    ...{ id, subject: subject ?? null, created_at },
    ...{ destroyed_at: destroyed_at ?? null, master: master ?? null },
  };
}

function boundTo(id: string, hash: string): Buffer {
  return Buffer.from(`tactus-temporal/subject\0${id}\0${hash}`);
}
