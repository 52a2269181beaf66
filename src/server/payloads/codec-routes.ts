import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { hasCode, TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { json, namespaceParams, problems } from '../http/common.schema.js';
import { reply } from '../http/reply.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { payloadFromJson, payloadToJson, type PayloadJson } from '../../worker/payloads/index.js';
import { payloadsSchema } from './codec.schema.js';

const decode = createRoute({
  method: 'post',
  path: '/api/v1/namespaces/{namespace}/codec/decode',
  operationId: 'decodePayloads',
  summary: "Decode payloads, as Temporal's Web UI asks a codec server",
  tags: ['payloads'],
  request: {
    params: namespaceParams,
    body: { required: true, content: { 'application/json': { schema: payloadsSchema } } },
  },
  responses: {
    200: json(
      payloadsSchema,
      'The payloads, in their order; as they came, where none of the keys decodes them',
    ),
    ...problems,
  },
});

/** Of one answer. */
const mostBytes = 64_000_000;

/** What encodes the payloads of a namespace decodes them for people who may read its runs. */
export function codecRoutes(app: OpenAPIHono<ServerEnv>, { namespaces }: ServerDeps): void {
  app.openapi(decode, async (c) => {
    const { namespace: name } = c.req.valid('param');
    const { tactus } = namespaces.open(name, c.get('identity'), 'read');
    const codecs = [...tactus.client.options.loadedDataConverter.payloadCodecs].reverse();
    const payloads: PayloadJson[] = [];
    const refusals: TactusError[] = [];
    let bytes = 0;
    // One after another: each may be kept in a store, or unpack to much.
    for (const given of c.req.valid('json').payloads) {
      const sent = { metadata: {}, ...defined(given) };
      const payload = await decodedBy(codecs, payloadFromJson(sent) ?? {});
      if (payload instanceof TactusError) refusals.push(payload);
      payloads.push(payload instanceof TactusError ? sent : payloadToJson(payload));
      bytes += payloads.at(-1)?.data?.length ?? 0;
      if (bytes > mostBytes)
        throw new TactusError(
          'payload_too_large',
          `The payloads come to more than ${mostBytes / 1_000_000} MB: ask for fewer at once`,
        );
    }
    const [refusal] = refusals;
    if (refusal !== undefined && refusals.length === payloads.length) throw refusal;
    return reply(c, 200, { payloads });
  });
}

/** What can't be decoded stays as it is: another payload of the same page may have another key. */
async function decodedBy(codecs: readonly PayloadCodec[], payload: Payload): Promise<Payload | TactusError> {
  try {
    let decoded = [payload];
    for (const codec of codecs) decoded = await codec.decode(decoded);
    return decoded[0] ?? payload;
  } catch (error) {
    if (hasCode(error, 'codec_failed')) return error;
    throw error;
  }
}
