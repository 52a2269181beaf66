import {
  METADATA_ENCODING_KEY,
  type DataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { encodes, isPayloadStore } from '../../../client/index.js';
import {
  codecAuthVariable,
  encryptedEncoding,
  type CodecSettings,
} from '../../../contract/payloads/codec-settings.js';
import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { claimEncoding } from '../../../contract/payloads/claim.js';
import { payloadsVariable } from '../../../contract/payloads/payload-place.js';
import type { EgressPolicy } from '../../../egress/egress-policy.js';
import { loadCodecModule } from './load-codec-module.js';
import { CodecFault, ownerText, type PayloadOwner } from './codec-fault.js';
import type { PayloadStore } from '../store/payload-store.js';
import type { subjectKeysOf } from './encryption/payload-encryption.js';
import type { SubjectKeys } from './encryption/subject-keys.js';
import { compiledFolder } from '../../bundles/workflow-bundle.js';

/** A codec of somebody else's, whose failures say which setting named it. */
class NamedCodec implements PayloadCodec {
  /** @param name what people call it: `codec.module ./codec.mjs` */
  constructor(
    private readonly codec: PayloadCodec,
    private readonly name: string,
  ) {}

  encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    return this.within('encode', payloads, owner);
  }

  decode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    return this.within('decode', payloads, owner);
  }

  private async within(
    work: 'encode' | 'decode',
    payloads: Payload[],
    owner: PayloadOwner | undefined,
  ): Promise<Payload[]> {
    const wrong = (reason: string): TactusError =>
      new CodecFault(
        'codec_failed',
        `${this.name} can't ${work} a payload${ownerText(owner)}: ${reason}.${work === 'decode' ? ' Does it have the key that the payload was encoded with?' : ''}`,
      );
    let made: unknown;
    try {
      made = await this.codec[work](payloads, owner);
    } catch (error) {
      if (error instanceof TactusError) throw error;
      throw wrong(error instanceof Error ? error.message : String(error));
    }
    if (!Array.isArray(made) || made.length !== payloads.length)
      throw wrong(`it must give a list of ${payloads.length}, as many as it gets`);
    return made as Payload[];
  }
}

/** Encodings that Temporal's own converter reads. */
const plain = ['binary/null', 'binary/plain', 'json/plain', 'json/protobuf', 'binary/protobuf'];

/** As the first of several codecs, it sees what the others have decoded, and says what to set where a payload is still encoded. */
export class DecodedCheck implements PayloadCodec {
  /** By this, storages know that it encodes nothing. */
  readonly onlyChecks = true;

  /** @param used what people call the codec that is in use; null: none is */
  constructor(private readonly used: string | null) {}

  encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads);
  }

  /** @throws TactusError codec_failed */
  async decode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    for (const { metadata } of payloads) {
      const name = metadata?.[METADATA_ENCODING_KEY];
      if (name === undefined) continue;
      const encoding = Buffer.from(name).toString();
      if (!plain.includes(encoding)) throw this.refusal(encoding, owner);
    }
    return payloads;
  }

  private refusal(encoding: string, owner: PayloadOwner | undefined): TactusError {
    const shown = JSON.stringify(encoding.slice(0, 100));
    const payload = `A payload${ownerText(owner)} has the encoding ${shown}`;
    const message =
      encoding === claimEncoding
        ? `${payload}: it is kept in a payload store. Name its folder or bucket by ${payloadsVariable}`
        : encoding === encryptedEncoding
          ? `${payload}: it is encrypted. Name the keys by codec.encryption in .tactus/config.yml, as for the worker that encrypted it`
          : this.used === null
            ? `${payload}, and no codec is set that decodes it. Name the codec of the application that wrote it: codec in .tactus/config.yml, or a codec server by --codec-endpoint or TEMPORAL_CODEC_ENDPOINT`
            : `${payload}, and ${this.used} does not decode it. The codec must be that of the application that wrote it`;
    return new CodecFault('codec_failed', message, { encoding });
  }
}

export interface CodecPlace {
  /** Where the path of a module begins. */
  workingFolder: string;
  namespace: string;
  env: Environment;
  egressPolicy?: EgressPolicy;
}

/**
 * The codecs that configuration names, as every client, worker and reader of files is given them.
 * @throws TactusError config_invalid where the module has none, or a key is none; missing_key
 */
export async function configuredCodecs(settings: CodecSettings, place: CodecPlace): Promise<DataConverter> {
  const name = codecName(settings);
  return { payloadCodecs: [new DecodedCheck(name), ...(await codecsOf(settings, place, name))] };
}

/**
 * The keys of subjects that the encryption names. Most commands have no need of them, and are there sooner without.
 * @throws TactusError missing_key, config_invalid
 */
export async function openSubjectKeys(
  settings: Parameters<typeof subjectKeysOf>[0],
  env: Environment,
): Promise<SubjectKeys> {
  const payloads = await import('./encryption/payload-encryption.js');
  return payloads.subjectKeysOf(settings, env);
}

/** What people call the codec that is in use; null: none is. */
export function codecName({ module, endpoint, encryption }: CodecSettings): string | null {
  if (endpoint !== null) return `the codec server at ${endpoint}`;
  if (encryption !== null) return `codec.encryption with the key ${encryption.key}`;
  return module === null ? null : `codec.module ${module}`;
}

async function codecsOf(
  { module, endpoint, headers, encryption }: CodecSettings,
  { workingFolder, namespace, env, egressPolicy }: CodecPlace,
  name: string | null,
): Promise<PayloadCodec[]> {
  if (name === null) return [];
  if (endpoint !== null) {
    // Most commands ask no codec server, and are there sooner without what asks.
    const { RemoteCodec } = await import('./remote-codec.js');
    const { readSecret } = await import('../../../activities/secrets/secrets.js');
    const authorization = readSecret(env, codecAuthVariable);
    const egress = egressPolicy === undefined ? {} : { egressPolicy };
    return [new RemoteCodec({ endpoint, headers, authorization, namespace, ...egress })];
  }
  if (encryption !== null) {
    const { payloadEncryption } = await import('./encryption/payload-encryption.js');
    const { key, keys, requires: require, compresses: compress, subjects } = encryption;
    const ofSubjects = subjects && { folder: resolve(workingFolder, subjects.folder), id: subjects.id };
    const more = ofSubjects === null ? {} : { subjects: ofSubjects };
    return [payloadEncryption({ key, keys, require, compress, ...more }, env)];
  }
  const codecs = await loadCodecModule(module ?? '', workingFolder);
  // One that keeps large payloads elsewhere is known by what it says of itself.
  return codecs.map((codec) => (isPayloadStore(codec) ? codec : new NamedCodec(codec, name)));
}

/** A converter whose failures are encoded as payloads are, where there is a codec and it is to encode them. */
export function withFailures(converter: DataConverter, codec: CodecSettings): DataConverter {
  if (codecName(codec) === null || !codec.encodesFailures) return converter;
  return { ...converter, failureConverterPath: encodingPath() };
}

/** Whether a converter is one of these: the workflow code of its worker encodes failures too then. */
export function encodesFailures(converter: DataConverter | undefined): boolean {
  return converter?.failureConverterPath !== undefined && converter.failureConverterPath === encodingPath();
}

function encodingPath(): string {
  return join(compiledFolder(), 'worker', 'payloads', 'codecs', 'encoding-failure-converter.js');
}

const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

interface EncodeRetries {
  /** Ends all waiting. */
  signal: AbortSignal;
  /** Told of what is waited for. */
  tell: (problem: string) => void;
}

/**
 * A converter for workers, whose codecs wait where they can't encode. The SDK ends a worker that can't encode what its tasks have come to,
 * and results that were paid for would be lost. What can't be decoded fails its task, which is tried again.
 */
export function withEncodeRetries(converter: DataConverter, patience: EncodeRetries): DataConverter {
  const { payloadCodecs = [] } = converter;
  return {
    ...converter,
    payloadCodecs: payloadCodecs.map((codec) => (encodes(codec) ? retrying(codec, patience) : codec)),
  };
}

function retrying(given: PayloadCodec, patience: EncodeRetries): PayloadCodec {
  const codec = hasWorkerCodec(given) ? given.ofWorker() : given;
  return {
    decode: (payloads, owner) => codec.decode(payloads, owner),
    encode: (payloads, owner) => insisting(() => codec.encode(payloads, owner), patience),
  };
}

/** A payload store for workers, which waits where it can't keep what its tasks have come to, as their codecs do. */
export function withPutRetries(store: PayloadStore, patience: EncodeRetries): PayloadStore {
  return {
    put: (key, data) => insisting(() => store.put(key, data), patience),
    get: (key) => store.get(key),
  };
}

async function insisting<T>(work: () => Promise<T>, { signal, tell }: EncodeRetries): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw error;
      tell(error instanceof Error ? error.message : String(error));
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether a codec does something else in a worker than in a client. */
function hasWorkerCodec(codec: PayloadCodec): codec is PayloadCodec & { ofWorker: () => PayloadCodec } {
  return 'ofWorker' in codec && typeof codec.ofWorker === 'function';
}
