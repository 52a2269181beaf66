import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { isPayloadStore } from '../../../client/payloads/has-payload-store.js';
import { codecAuthVariable, type CodecSettings } from '../../../contract/payloads/codec-settings.js';
import type { Environment } from '../../../contract/environment.js';
import type { EgressPolicy } from '../../../egress/egress-policy.js';
import { DecodedCheck } from './decoded-check.js';
import { loadCodecModule } from './load-codec-module.js';
import { NamedCodec } from './named-codec.js';

export interface CodecPlace {
  /** Where the path of a module begins. */
  workingFolder: string;
  namespace: string;
  env: Environment;
  egressPolicy?: EgressPolicy;
}

/**
 * The codecs that configuration names, as every client, worker and reader of files is given them.
 * @throws TactusError config_invalid where the module has none; missing_key
 */
export async function configuredCodecs(settings: CodecSettings, place: CodecPlace): Promise<DataConverter> {
  const name = codecName(settings);
  return { payloadCodecs: [new DecodedCheck(name), ...(await codecsOf(settings, place, name))] };
}

/** What people call the codec that is in use; null: none is. */
export function codecName({ module, endpoint }: CodecSettings): string | null {
  if (endpoint !== null) return `the codec server at ${endpoint}`;
  return module === null ? null : `codec.module ${module}`;
}

async function codecsOf(
  { module, endpoint, headers }: CodecSettings,
  { workingFolder, namespace, env, egressPolicy }: CodecPlace,
  name: string | null,
): Promise<PayloadCodec[]> {
  if (name === null) return [];
  if (endpoint !== null) {
    // Most commands ask no codec server, and are there sooner without what asks.
    const { RemoteCodec } = await import('./remote-codec.js');
    const { readSecret } = await import('../../secrets/read-secret.js');
    const authorization = readSecret(env, codecAuthVariable);
    const egress = egressPolicy === undefined ? {} : { egressPolicy };
    return [new RemoteCodec({ endpoint, headers, authorization, namespace, ...egress })];
  }
  const codecs = await loadCodecModule(module ?? '', workingFolder);
  // One that keeps large payloads elsewhere is known by what it says of itself.
  return codecs.map((codec) => (isPayloadStore(codec) ? codec : new NamedCodec(codec, name)));
}
