import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { randomBytes } from 'node:crypto';
import type { TactusError } from '../../../../contract/errors.js';
import { encryptedEncoding } from '../../../../contract/payloads/codec-settings.js';
import { CodecFault, ownerText, type PayloadOwner } from '../codec-fault.js';
import type { MasterKeys } from './master-keys.js';
import { mostUnpackedBytes, pack, unpack } from './packed-bytes.js';
import { keyBytes, seal, unseal } from './sealed-bytes.js';
import type { SubjectKey, SubjectKeys } from './subject-keys.js';
import { subjectOf } from './subject-of.js';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** Metadata that names the key: the same name as in Temporal's sample. */
const keyIdField = 'encryption-key-id';
const version = 1;
const headerBytes = 2;
const isPacked = 1;

export interface EncryptionOptions {
  /** Id of the key that encrypts. */
  key: string;
  /** All that decrypt. */
  keys: MasterKeys;
  /** Whether a payload that isn't encrypted is refused. */
  requires: boolean;
  compresses: boolean;
  /** The keys of subjects, and whose ids are subjects; null: all payloads have the key of the configuration. */
  subjects: { keys: SubjectKeys; pattern: string } | null;
}

/** A key that encrypts or decrypts, and the id by which payloads name it. */
interface NamedKey {
  id: string;
  key: Buffer;
}

/** Before the ids of keys of subjects: no id of the configuration has a slash. */
const ofSubject = 'subject/';

/**
 * Encrypts whole payloads, their metadata too. What stays readable is that it is encrypted, by which key, whether it is packed, and how long it is. A payload isn't
 * bound to its run: it goes along to forks, archives and other namespaces.
 */
export class EncryptionCodec implements PayloadCodec {
  constructor(private readonly options: EncryptionOptions) {}

  /** @throws TactusError codec_failed of a run whose subject's key was destroyed */
  async encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    return this.encryptedBy(await this.keyToEncrypt(owner), payloads);
  }

  /**
   * The codec of workers. What a run of a subject comes to whose key was destroyed is encrypted with a key that nobody has: waiting for a
   * codec that can encode it would hold the worker, and other runs with it.
   */
  ofWorker(): PayloadCodec {
    return {
      decode: (payloads, owner) => this.decode(payloads, owner),
      encode: async (payloads, owner) =>
        this.encryptedBy(await this.keyToEncrypt(owner, { forNobody: true }), payloads),
    };
  }

  /** @throws TactusError codec_failed */
  async decode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    const decoded: Payload[] = [];
    // One after another: each may unpack to much.
    for (const payload of payloads) decoded.push(await this.decrypted(payload, owner));
    return decoded;
  }

  private async keyToEncrypt(owner: PayloadOwner | undefined, { forNobody = false } = {}): Promise<NamedKey> {
    const { key: id, keys, subjects } = this.options;
    const subject = subjects === null ? null : subjectOf(owner?.workflowId ?? '', subjects.pattern);
    if (subjects === null || subject === null) {
      const key = keys.get(id);
      if (key === undefined) throw this.unknownKey(id, undefined);
      return { id, key };
    }
    const found = await subjects.keys.ofSubject(subject);
    if (found.key === null && !forNobody) throw destroyed(found, owner);
    return { id: ofSubject + found.id, key: found.key ?? randomBytes(keyBytes) };
  }

  /** @throws TactusError codec_failed */
  private async keyToDecrypt(id: string, owner: PayloadOwner | undefined): Promise<Buffer> {
    const { keys, subjects } = this.options;
    if (!id.startsWith(ofSubject)) {
      const key = keys.get(id);
      if (key === undefined) throw this.unknownKey(id, owner);
      return key;
    }
    const found = await subjects?.keys.byId(id.slice(ofSubject.length));
    if (found == null) throw unknownSubject(subjects?.keys.folder, owner);
    if (found.key === null) throw destroyed(found, owner);
    return found.key;
  }

  private encryptedBy(key: NamedKey, payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map((payload) => this.encrypted(key, payload)));
  }

  private async encrypted({ id, key }: NamedKey, payload: Payload): Promise<Payload> {
    const { compresses } = this.options;
    const plain = PayloadMessage.encode(payload).finish();
    const packed = compresses ? await pack(plain) : null;
    const header = Buffer.from([version, packed === null ? 0 : isPacked]);
    return {
      metadata: {
        [METADATA_ENCODING_KEY]: Buffer.from(encryptedEncoding),
        [keyIdField]: Buffer.from(id),
      },
      data: Buffer.concat([header, seal(key, packed ?? plain, boundTo(header, id))]),
    };
  }

  private async decrypted(payload: Payload, owner: PayloadOwner | undefined): Promise<Payload> {
    const encoding = textOf(payload, METADATA_ENCODING_KEY);
    if (encoding !== encryptedEncoding) {
      if (this.options.requires) throw notEncrypted(encoding, owner);
      return payload;
    }
    const id = textOf(payload, keyIdField);
    const key = await this.keyToDecrypt(id, owner);
    const data = Buffer.from(payload.data ?? []);
    const header = data.subarray(0, headerBytes);
    if (header[0] !== version)
      throw damaged(id, owner, 'it was made by another version of tactus-temporal, or it is damaged');
    const plain = unseal(key, data.subarray(headerBytes), boundTo(header, id));
    if (plain === null)
      throw damaged(
        id,
        owner,
        `it is damaged, or codec.encryption.keys.${id} names another key than the one that it was encrypted with`,
      );
    if (header[1] !== isPacked) return PayloadMessage.decode(plain);
    try {
      return PayloadMessage.decode(await unpack(plain));
    } catch {
      throw damaged(id, owner, `it unpacks to more than ${mostUnpackedBytes / 1024 / 1024} MiB`);
    }
  }

  private unknownKey(id: string, owner: PayloadOwner | undefined): TactusError {
    const known = [...this.options.keys.keys()].join(', ');
    return new CodecFault(
      'codec_failed',
      `A payload${ownerText(owner)} is encrypted with the key ${JSON.stringify(id.slice(0, 100))}, which is not among codec.encryption.keys (${known}). Add this id there, with the variable that holds the key`,
      { encoding: encryptedEncoding },
    );
  }
}

function damaged(id: string, owner: PayloadOwner | undefined, reason: string): TactusError {
  return new CodecFault(
    'codec_failed',
    `A payload${ownerText(owner)} can't be decrypted with the key ${id}: ${reason}`,
    { encoding: encryptedEncoding },
  );
}

function destroyed({ destroyedAt }: SubjectKey, owner: PayloadOwner | undefined): TactusError {
  return new CodecFault(
    'codec_failed',
    `Payloads${ownerText(owner)} can't be read or written: the key of this subject was destroyed on ${destroyedAt?.slice(0, 10)}. Nobody can bring it back. If the run is open, terminate it`,
    { encoding: encryptedEncoding },
  );
}

function unknownSubject(folder: string | undefined, owner: PayloadOwner | undefined): TactusError {
  const where =
    folder === undefined
      ? 'codec.encryption.subjects is not set. Set it to the folder of these keys, as for the worker that encrypted it'
      : `the folder ${folder} doesn't have it. codec.encryption.subjects.folder must be the folder that all workers and commands share`;
  return new CodecFault(
    'codec_failed',
    `A payload${ownerText(owner)} is encrypted with the key of a subject, and ${where}`,
    { encoding: encryptedEncoding },
  );
}

function notEncrypted(encoding: string, owner: PayloadOwner | undefined): TactusError {
  return new CodecFault(
    'codec_failed',
    `A payload${ownerText(owner)} isn't encrypted: its encoding is ${JSON.stringify(encoding.slice(0, 100))}. codec.encryption.require refuses it. Set it to false if runs from before the encryption are still needed`,
    { encoding },
  );
}

/** Neither the header nor the id of a key has a NUL that could be taken for the one between them. */
function boundTo(header: Buffer, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${encryptedEncoding}\0`), header, Buffer.from(id)]);
}

function textOf({ metadata }: Payload, name: string): string {
  return Buffer.from(metadata?.[name] ?? []).toString();
}
