import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';
import type { TactusError } from '../../../contract/errors.js';
import { CodecFault } from './codec-fault.js';
import { ownerText, type PayloadOwner } from './owner-text.js';

/** Encodings that Temporal's own converter reads. */
const plain = ['binary/null', 'binary/plain', 'json/plain', 'json/protobuf', 'binary/protobuf'];
const ofPayloadStore = 'binary/tactus-claim';

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
      encoding === ofPayloadStore
        ? `${payload}: it is kept in a payload store. Name the folder by TACTUS_TEMPORAL_PAYLOADS`
        : this.used === null
          ? `${payload}, and no codec is set that decodes it. Name the codec of the application that wrote it: codec in .tactus/config.yml, or a codec server by --codec-endpoint or TEMPORAL_CODEC_ENDPOINT`
          : `${payload}, and ${this.used} does not decode it. The codec must be that of the application that wrote it`;
    return new CodecFault('codec_failed', message, { encoding });
  }
}
