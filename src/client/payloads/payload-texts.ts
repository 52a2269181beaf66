import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Payloads as these codecs make them, as texts: what is kept outside of the server is encoded as it is there.
 * @param codecs those of a data converter, in its order
 */
export async function encodedTexts(
  payloads: readonly Payload[],
  codecs: readonly PayloadCodec[],
  owner: SerializationContext,
): Promise<string[]> {
  let encoded = [...payloads];
  for (const codec of codecs) encoded = await codec.encode(encoded, owner);
  return encoded.map((payload) => Buffer.from(PayloadMessage.encode(payload).finish()).toString('base64'));
}

/** @throws whatever a codec throws that doesn't take them: another key, or none */
export async function decodedPayloads(
  texts: readonly string[],
  codecs: readonly PayloadCodec[],
): Promise<Payload[]> {
  let payloads: Payload[] = texts.map((text) => PayloadMessage.decode(Buffer.from(text, 'base64')));
  for (const codec of [...codecs].reverse()) payloads = await codec.decode(payloads);
  return payloads;
}
