import type { DataConverter } from '@temporalio/common';
import {
  decodeFromPayloadsAtIndex,
  encodeToPayload,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import { join } from 'node:path';
import { codecEndpointRule, isCodecEndpoint } from '../../configuration/worker-settings.js';
import { codecEndpointVariable, type CodecSettings } from '../../contract/payloads/codec-settings.js';
import { payloadsVariable } from '../../contract/payloads/payload-place.js';
import { codecName, configuredCodecs } from '../../worker/payloads/index.js';
import { configure } from '../configure.js';
import { connectionTarget } from '../connection.js';
import { TactusError, type CommonOptions, type Context } from '../command.js';

/** What encodes payloads in this process, and the converter of its clients, workers and readers of files. */
export interface Codecs {
  settings: CodecSettings;
  dataConverter: DataConverter;
}

/**
 * The codec of `--codec-endpoint`, else of `TEMPORAL_CODEC_ENDPOINT`, else of the configuration.
 * @throws TactusError config_invalid, missing_key, usage
 */
export async function codecsOf({ options, screen }: Context): Promise<Codecs> {
  const { codec, tools } = await configure(null, {}, screen);
  const settings = withEndpoint(codec, options);
  const { egressPolicy } = tools;
  const dataConverter = await configuredCodecs(settings, {
    workingFolder: process.cwd(),
    namespace: connectionTarget(options).namespace,
    env: process.env,
    ...(egressPolicy === undefined ? {} : { egressPolicy }),
  });
  return { settings, dataConverter };
}

/**
 * Encodes a payload and decodes it again.
 * @returns what people call the codec; null where there is none
 * @throws TactusError where it can't be had, or doesn't give back what it was given
 */
export async function tryCodec(context: Context): Promise<string | null> {
  const { settings, dataConverter } = await codecsOf(context);
  const name = codecName(settings);
  if (name === null) return null;
  const converter = loadDataConverter(dataConverter);
  const sent = 'tactus-temporal doctor';
  const payload = await encodeToPayload(converter, sent);
  const found: unknown = await decodeFromPayloadsAtIndex(converter, 0, [payload]);
  if (found !== sent)
    throw new TactusError('codec_failed', `${name} does not give back the payload that it has encoded`);
  return name;
}

function withEndpoint(codec: CodecSettings, { codecEndpoint: flag }: CommonOptions): CodecSettings {
  const endpoint = flag ?? process.env[codecEndpointVariable]?.trim() ?? '';
  if (endpoint === '') return codec;
  if (!isCodecEndpoint(endpoint))
    throw new TactusError(
      'usage',
      `${flag === undefined ? codecEndpointVariable : '--codec-endpoint'} ${codecEndpointRule}`,
    );
  return { ...codec, module: null, encryption: null, endpoint };
}

/** Where payloads are kept that the server refuses for their size: a folder, or `s3://…`; null where nobody has named one for a server elsewhere. */
export function payloadsPlace(options: CommonOptions): string | null {
  const named = process.env[payloadsVariable] ?? '';
  if (named !== '') return named;
  const isEmbedded = connectionTarget(options).connection === null;
  return isEmbedded ? join(process.cwd(), '.tactus-temporal', 'payloads') : null;
}
