import { setTimeout as delay } from 'node:timers/promises';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { codecBounds, SilentAnswer } from '../../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../../egress/egress-fetch.js';
import { CodecFault, type PayloadOwner } from './codec-fault.js';
import { payloadFromJson, payloadToJson } from './payload-json.js';

export interface RemoteCodecOptions extends Egress {
  /** `{namespace}` in it stands for the namespace. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** The `Authorization` header; null: there is none. */
  authorization: string | null;
  /** Of payloads that the SDK doesn't say it of. */
  namespace: string;
  /** Time for all attempts together, in ms; left out: less than a workflow task has, which is lost after 10 s. */
  longestMs?: number;
}

/** Before each attempt, in ms. */
const pausesMs = [0, 250, 1_000];
const patienceMs = 5_000;
const usualLongestMs = 8_000;
const longestTold = 200;

/** Payloads are encoded and decoded by a codec server, by the protocol of Temporal's command line and Web UI. */
export class RemoteCodec implements PayloadCodec {
  private readonly send: typeof fetch;

  constructor(private readonly options: RemoteCodecOptions) {
    this.send = egressFetch(options, codecBounds);
  }

  encode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    return this.ask('encode', payloads, owner);
  }

  decode(payloads: Payload[], owner?: PayloadOwner): Promise<Payload[]> {
    return this.ask('decode', payloads, owner);
  }

  /** @throws TactusError server_unreachable, codec_failed, egress_denied */
  private async ask(
    work: 'encode' | 'decode',
    payloads: Payload[],
    owner: PayloadOwner | undefined,
  ): Promise<Payload[]> {
    if (payloads.length === 0) return payloads;
    const namespace = owner?.namespace ?? this.options.namespace;
    const endpoint = this.options.endpoint.replaceAll('{namespace}', encodeURIComponent(namespace));
    const url = `${endpoint.replace(/\/+$/, '')}/${work}`;
    const body = JSON.stringify({ payloads: payloads.map(payloadToJson) });
    const endsAt = performance.now() + (this.options.longestMs ?? usualLongestMs);
    let reason = '';
    let asked = 0;
    for (const pauseMs of pausesMs) {
      const leftMs = Math.floor(endsAt - performance.now() - pauseMs);
      if (leftMs <= 0) break;
      if (pauseMs > 0) await delay(pauseMs);
      asked++;
      const answer = await this.post(url, namespace, body, Math.min(patienceMs, leftMs));
      if ('text' in answer) return this.read(answer.text, payloads, work);
      reason = answer.reason;
    }
    throw new CodecFault(
      'server_unreachable',
      `The codec server at ${this.options.endpoint} does not ${work} payloads: ${reason}; asked ${asked === 1 ? 'once' : `${asked} times`}. Start it, or correct codec.endpoint, --codec-endpoint or TEMPORAL_CODEC_ENDPOINT`,
    );
  }

  /** The answer, or why the server is to be asked again. */
  private async post(
    url: string,
    namespace: string,
    body: string,
    withinMs: number,
  ): Promise<{ text: string } | { reason: string }> {
    const { headers, authorization, endpoint } = this.options;
    try {
      const response = await this.send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-namespace': namespace,
          ...headers,
          ...(authorization === null ? {} : { authorization }),
        },
        body,
        signal: AbortSignal.timeout(withinMs),
      });
      const text = await response.text();
      if (response.status >= 500 || [408, 425, 429].includes(response.status))
        return { reason: `it answers ${response.status}${answerText(text)}` };
      if (response.status === 401 || response.status === 403)
        throw this.wrong(
          `refuses (${response.status})${answerText(text)}. Set its Authorization header by TEMPORAL_CODEC_AUTH`,
        );
      if (response.status !== 200) throw this.wrong(`answers ${response.status}${answerText(text)}`);
      return { text };
    } catch (error) {
      if (error instanceof SilentAnswer) return { reason: `it ${error.message}` };
      if (error instanceof TactusError)
        throw error.code === 'payload_too_large'
          ? this.wrong(`gives an answer that is too large: ${error.message}`)
          : new CodecFault(error.code, error.message, error.details);
      const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
      if (name === 'TimeoutError') return { reason: `no answer within ${withinMs / 1_000} s` };
      return { reason: cause?.code ?? cause?.message ?? `${message} (${endpoint})` };
    }
  }

  private read(text: string, asked: Payload[], work: string): Payload[] {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      throw this.wrong(`answers /${work} with something that is no JSON${answerText(text)}`);
    }
    const list = isObject(answer as JsonValue) ? (answer as JsonObject)['payloads'] : null;
    const payloads = Array.isArray(list) ? list.map(payloadFromJson) : [];
    const isWhole = payloads.every(
      (payload, i) => payload !== null && (isNamed(payload) || !isNamed(asked[i])),
    );
    if (payloads.length !== asked.length || !isWhole)
      throw this.wrong(`answers /${work} without the ${asked.length} payloads that it was asked for`);
    return payloads as Payload[];
  }

  private wrong(problem: string): TactusError {
    return new CodecFault('codec_failed', `The codec server at ${this.options.endpoint} ${problem}`);
  }
}

function answerText(text: string): string {
  const short = text.replace(/\s+/g, ' ').trim().slice(0, longestTold);
  return short === '' ? '' : `: ${short}`;
}

/** Whether it says how it is encoded. Without that, nobody could read it again. */
function isNamed(payload: Payload | null | undefined): boolean {
  return payload?.metadata?.['encoding'] !== undefined;
}
