import type { HttpResponse } from '../../contract/http/http-request.js';
import { setOwn } from '../../contract/json/json.js';
import { exchangeBounds } from '../../egress/bounded-response.js';
import { egressFetch } from '../../egress/egress-fetch.js';
import type { ActivityDeps } from '../activity-deps.js';
import { assertResultFits, atEdge, isTriedAgain } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import {
  checkEndpoint,
  faultOf,
  httpExchange,
  idempotencyHeader,
  namedSecrets,
  requestHeaders,
} from './http-exchange.js';
import { createRedactor, secretsOf } from '../secrets/secrets.js';
import type { HttpRequestInput } from '../../contract/activities.js';

/**
 * Sends a procedure's request once, and gives whatever is answered. Redirects are not followed: that would take its headers to another host.
 * @throws ApplicationFailure of type http_failed, missing_key or payload_too_large
 */
export async function httpRequest(
  deps: ActivityDeps,
  { request, name, idempotencyKey, tries }: HttpRequestInput,
): Promise<HttpResponse> {
  const named = namedSecrets(request.headers, deps.env);
  const secrets = (): string[] => [...secretsOf(deps.env), ...named];
  return atEdge({ code: 'http_failed', subject: name, secrets, tries }, () =>
    withHeartbeat(async () => {
      const { method, body, timeoutMs } = request;
      const url = checkEndpoint(request.url, 'the URL');
      const headers = requestHeaders(request.headers, deps.env);
      // A key of the procedure's own is one that its author wants to be known by.
      for (const [header, value] of Object.entries(idempotencyHeader(idempotencyKey)))
        if (!headers.has(header)) headers.set(header, value);
      const answer = await httpExchange(egressFetch(deps, exchangeBounds), {
        ...{ url, method, headers, body, timeoutMs, retriesBinary: false },
      });
      // What an answer means is the procedure's business, the last one of several too.
      if (tries !== undefined && (answer.status === 429 || answer.status >= 500)) {
        const fault = faultOf(answer);
        if (isTriedAgain(fault, tries)) throw fault;
      }
      const response = { status: answer.status, headers: namesAndTexts(answer.headers), body: answer.body };
      // Who echoes what it was sent must not bring a key into history.
      return assertResultFits(createRedactor(named).value(response), `The answer to ${name}`);
    }),
  );
}

function namesAndTexts(headers: Headers): Record<string, string> {
  const texts: Record<string, string> = {};
  // Only cookies come one by one.
  for (const [name, text] of headers)
    setOwn(texts, name, Object.hasOwn(texts, name) ? `${texts[name]}, ${text}` : text);
  return texts;
}
