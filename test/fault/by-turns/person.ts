import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { runIdOf } from '../../../src/client/people/open-requests.js';
import type { Decision } from '../../../src/contract/people/decision.js';
import { isObject, type JsonObject, type JsonValue } from '../../../src/contract/json/json.js';
import { signalNames } from '../../../src/contract/names.js';

/** What somebody has sent, and what they know of it. */
export interface Sent extends Decision {
  id: string;
  by: string;
  /** How often it was sent. */
  tries: number;
  /** What the last answer said; null: a signal, which gets no verdict. */
  outcome: string | null;
  /** Of that answer, by HTTP; 0: a signal. */
  status: number;
}

const answerWithinMs = 15_000;
const againMs = 200;

/** A client of the HTTP API that asks until it is told something: as long as nobody answers, or with 429 or 5xx. */
export async function ask(
  url: string,
  token: string,
  path: string,
  body?: JsonObject,
): Promise<{ status: number; tries: number; body: JsonObject }> {
  for (let tries = 1; ; tries++) {
    const told = await fetch(`${url}/api/v1/namespaces/default${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
      .then(async (response) => ({ status: response.status, body: (await response.json()) as JsonValue }))
      .catch(() => null);
    if (told !== null && told.status < 500 && told.status !== 429 && isObject(told.body))
      return { status: told.status, tries, body: told.body };
    await delay(againMs);
  }
}

/** Decides over HTTP, under one id however often it is sent. */
export async function decideByHttp(
  url: string,
  token: string,
  { request, value, by }: { request: string; value: JsonValue; by: string },
): Promise<Sent> {
  const id = randomUUID();
  const path = `/requests/${encodeURIComponent(request)}/decide`;
  const { status, tries, body } = await ask(url, token, path, { value, id });
  return {
    request,
    value,
    by,
    id,
    tries,
    status,
    outcome: (body['outcome'] ?? body['code'] ?? null) as string,
  };
}

/** Decides by signal, sent until the server has taken it. No worker need live. */
export async function decideBySignal(
  client: Client,
  decided: { request: string; value: JsonValue; by: string },
): Promise<Sent> {
  const decision = { ...decided, id: randomUUID() };
  const handle = client.workflow.getHandle(runIdOf(decided.request));
  for (let tries = 1; ; tries++) {
    try {
      await handle.signal(signalNames.decide, decision);
      return { ...decision, tries, outcome: null, status: 0 };
    } catch {
      await delay(againMs);
    }
  }
}
