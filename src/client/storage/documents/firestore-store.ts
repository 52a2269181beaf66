import type * as Sdk from '@google-cloud/firestore';
import type { Settings } from '@google-cloud/firestore';
import { setTimeout as pause } from 'node:timers/promises';
import { TactusError } from '../../../contract/errors.js';
import { eachLimit } from '../../concurrency.js';
import type { CheckpointFilter } from '../storage-backend.js';
import {
  digestOf,
  idRange,
  outcomeAgainst,
  type DocumentStore,
  type HeadOutcome,
  type LinkedHead,
  type NewHead,
} from './document-store.js';
import { askStore, readStoreAddress, unlessRefused, type StoreAddress } from './store-requests.js';
import { loadPackage } from '../../../contract/load-package.js';

interface FirestoreHead extends LinkedHead {
  /** When it was written, which no two are at. */
  at: Sdk.Timestamp;
}

interface HeadFields {
  /** The id of the procedure. */
  procedure: string;
  version: string;
  previous: string | null;
  /** By which all heads are listed, and those of a status. */
  key: Buffer;
  statusKey: Buffer;
  content: string;
}

const form = 'firestore://PROJECT/COLLECTION?database=DATABASE&endpoint=URL';
/** What is looked for by a field has 1,500 bytes at most. */
const longestId = 1_024;
const atOnce = 8;
const idsAtOnce = 1_000;
/** Of 1 MB each. */
const partsAtOnce = 16;
/** By gRPC's numbers. */
const deadlineExceeded = 4;
/** A service that says nothing for so long is as good as away: its client goes on asking for minutes. */
const patienceMs = 20_000;

/**
 * Documents of Firestore: heads in a collection, and the parts of each in a collection below it, by their names. Which heads there are, all and by status,
 * fields of theirs say, by the indexes that every field has. All is read as it was last written.
 */
export class FirestoreStore implements DocumentStore<FirestoreHead> {
  readonly name = 'Firestore';
  // A document has 1 MiB at most, with its name; writes are paid for by the piece.
  readonly limits = { largestPart: 1_000_000, largestTail: 32_768 };

  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.Firestore,
    private readonly collection: string,
    private readonly patience: number,
  ) {}

  /** `patience`: in ms, how long an answer is waited for. @throws TactusError missing_package; usage where the address is none */
  static async open(address: string, patience = patienceMs): Promise<FirestoreStore> {
    const place = readStoreAddress(address, form, ['database', 'endpoint']);
    if (place.folder === '' || place.folder.includes('/') || /^(\.\.?|__.*__)$/.test(place.folder))
      throw new TactusError('usage', `An address of this storage is ${form}`);
    const sdk = await load();
    return new FirestoreStore(sdk, new sdk.Firestore(firestoreSettings(place)), place.folder, patience);
  }

  async readHead(procedureId: string): Promise<FirestoreHead | null> {
    const found = await this.#asking(() => this.#head(procedureId).get());
    const { version, previous, content } = (found.data() ?? {}) as Partial<HeadFields>;
    if (version === undefined || found.updateTime === undefined) return null;
    return { version, previous: previous ?? null, text: content ?? '', at: found.updateTime };
  }

  async writeHead(procedureId: string, head: NewHead, before: FirestoreHead | null): Promise<HeadOutcome> {
    const id = Buffer.from(procedureId);
    const fields: HeadFields = {
      ...{ procedure: procedureId, version: head.version, previous: before?.version ?? null },
      ...{ key: id, statusKey: Buffer.concat([statusList(head.status), id]), content: head.text },
    };
    const place = this.#head(procedureId);
    const isDone = await this.#unlessRefused(() =>
      before === null ? place.create(fields) : place.update({ ...fields }, { lastUpdateTime: before.at }),
    );
    return isDone ? 'done' : outcomeAgainst(await this.readHead(procedureId), head.version, before);
  }

  async removeHead(procedureId: string, { at }: FirestoreHead): Promise<boolean> {
    const isDone = await this.#unlessRefused(() => this.#head(procedureId).delete({ lastUpdateTime: at }));
    return isDone || (await this.readHead(procedureId)) === null;
  }

  async readPart(procedureId: string, name: string): Promise<Uint8Array | null> {
    const found = await this.#asking(() => this.#parts(procedureId).doc(name).get());
    return contentOf(found);
  }

  async readParts(procedureId: string): Promise<Map<string, Uint8Array>> {
    const docs = await this.#pages(this.#parts(procedureId).orderBy(this.#id), partsAtOnce, ({ id }) => id);
    return new Map(docs.map((doc) => [doc.id, contentOf(doc) ?? new Uint8Array()]));
  }

  async writePart(procedureId: string, name: string, content: Uint8Array): Promise<void> {
    await this.#asking(() =>
      this.#parts(procedureId)
        .doc(name)
        .set({ content: Buffer.from(content) }),
    );
  }

  async partNames(procedureId: string, after: string): Promise<string[]> {
    const parts = this.#parts(procedureId).orderBy(this.#id).select();
    const asked = after === '' ? parts : parts.where(this.#id, '>', after);
    return (await this.#pages(asked, idsAtOnce, ({ id }) => id)).map(({ id }) => id);
  }

  removeParts(procedureId: string, names: readonly string[]): Promise<void> {
    return eachLimit(names, atOnce, async (name) => {
      await this.#asking(() => this.#parts(procedureId).doc(name).delete());
    });
  }

  async list({ status, limit = Infinity, ...bounds }: CheckpointFilter): Promise<string[]> {
    const range = idRange(bounds, longestId);
    if (range === null) return [];
    const [field, list] = status === undefined ? ['key', Buffer.alloc(0)] : ['statusKey', statusList(status)];
    const asked = this.client
      .collection(this.collection)
      .where(field, '>=', Buffer.concat([list, range.from]))
      .where(field, '<', Buffer.concat([list, range.to]))
      .orderBy(field)
      .select('procedure');
    const procedureOf = (doc: Sdk.DocumentSnapshot): string => String(doc.get('procedure'));
    const placeOf = (doc: Sdk.DocumentSnapshot): Buffer =>
      Buffer.concat([list, Buffer.from(procedureOf(doc))]);
    return (await this.#pages(asked, idsAtOnce, placeOf, limit)).map(procedureOf);
  }

  async close(): Promise<void> {
    // It waits for what is asked: what nobody answers ends by itself later.
    await this.#within(this.client.terminate(), () => undefined);
  }

  get #id(): Sdk.FieldPath {
    return this.sdk.FieldPath.documentId();
  }

  /** What is asked for, by pages: each is answered in time. `placeOf`: where one stands in the order. */
  async #pages(
    asked: Sdk.Query,
    size: number,
    placeOf: (doc: Sdk.DocumentSnapshot) => unknown,
    limit = Infinity,
  ): Promise<Sdk.QueryDocumentSnapshot[]> {
    const found: Sdk.QueryDocumentSnapshot[] = [];
    for (let next = asked; ;) {
      const most = Math.min(size, limit - found.length);
      const { docs } = await this.#asking(() => next.limit(most).get());
      found.push(...docs);
      const last = docs.at(-1);
      if (last === undefined || docs.length < most || found.length === limit) return found;
      next = asked.startAfter(placeOf(last));
    }
  }

  #head(procedureId: string): Sdk.DocumentReference {
    if (Buffer.byteLength(procedureId) > longestId)
      throw new TactusError('usage', `a procedure id has ${longestId} bytes at most in Firestore`);
    return this.client.collection(this.collection).doc(digestOf(procedureId));
  }

  #parts(procedureId: string): Sdk.CollectionReference {
    return this.#head(procedureId).collection(`${this.collection}-parts`);
  }

  #unlessRefused(ask: () => Promise<unknown>): Promise<boolean> {
    return this.#asking(() => unlessRefused(ask, isRefused));
  }

  #asking<T>(ask: () => Promise<T>): Promise<T> {
    return askStore(`Firestore, collection ${JSON.stringify(this.collection)}`, () =>
      this.#within(ask(), () => {
        throw Object.assign(new Error('no answer in time'), { code: deadlineExceeded });
      }),
    );
  }

  /** What comes of it, or of having waited too long. */
  async #within<T>(work: Promise<T>, orElse: () => T): Promise<T> {
    const ended = new AbortController();
    const late = pause(this.patience, null, { signal: ended.signal }).then(orElse);
    try {
      return await Promise.race([work, late]);
    } finally {
      ended.abort();
      // It is told that it was ended.
      late.catch(() => undefined);
    }
  }
}

/** Not found, there already, another one there, and somebody else who changes it at this very moment. */
function isRefused(error: unknown): boolean {
  return [5, 6, 9, 10].includes((error as { code?: number }).code ?? 0);
}

function contentOf(found: Sdk.DocumentSnapshot): Uint8Array | null {
  return (found.get('content') as Buffer | undefined) ?? null;
}

/** As many bytes for each status, so that no list begins as another one does. */
function statusList(status: string): Buffer {
  return Buffer.from(digestOf(status), 'hex');
}

/** @throws TactusError missing_package */
function load(): Promise<typeof Sdk> {
  return loadPackage(
    () => import('@google-cloud/firestore'),
    'Firestore needs a package: npm install @google-cloud/firestore',
  );
}

/** How a client of Firestore is made. Who asks it finds out by itself, but where nobody is asked who they are. */
function firestoreSettings({ name, database, endpoint }: StoreAddress): Settings {
  const { hostname, port, protocol } = new URL(endpoint ?? 'https://firestore.googleapis.com');
  return {
    projectId: name,
    ...(database === undefined ? {} : { databaseId: database }),
    ...(endpoint === undefined
      ? {}
      : { host: hostname, port: Number(port || 443), ssl: protocol === 'https:' }),
  };
}
