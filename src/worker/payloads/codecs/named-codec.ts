import type { Payload, PayloadCodec } from '@temporalio/common';
import { TactusError } from '../../../contract/errors.js';
import { CodecFault } from './codec-fault.js';
import { ownerText, type PayloadOwner } from './owner-text.js';

/** A codec of somebody else's, whose failures say which setting named it. */
export class NamedCodec implements PayloadCodec {
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
