import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, EnvHttpProxyAgent, fetch as sendBy, Pool, type Dispatcher } from 'undici';
import { TactusError } from '../contract/errors.js';
import { boundedResponse, type AnswerBounds } from './bounded-response.js';
import { withTraceHeaders } from './outgoing-trace.js';
import { gateOf, hostOf, portOf, type Destination, type EgressPolicy, type Gate } from './egress-policy.js';

/** How requests leave this process. */
export interface Egress {
  /** Sends every request that may be sent; left out: a `fetch` that checks the addresses of hosts as well. */
  fetch?: typeof fetch;
  /** Whom they may go to; left out: everybody, but for addresses where clouds keep credentials. */
  egressPolicy?: EgressPolicy;
}

/** Who sends a request without a time for it waits so long for its answer, in ms. */
const patienceMs = 30_000;
/** Deepest chain of causes that libraries build. */
const deepest = 5;

interface Exit {
  gate: Gate;
  send: typeof fetch;
}

const openPolicy: EgressPolicy = {};
/** With their connections, which are kept. */
const exits = new WeakMap<EgressPolicy, Exit>();

/**
 * The one way out: a `fetch` that asks whom the policy lets be asked, and whose answers have an end. It follows no redirect,
 * since that would take headers to another host; what leads elsewhere is an answer.
 * @param onCut is told why the body of an answer was given up, for those whose library keeps that to itself
 * @throws TactusError egress_denied; config_invalid where the policy is none; while the body is read, TactusError
 *   payload_too_large and SilentAnswer
 */
export function egressFetch(
  { fetch: given, egressPolicy = openPolicy }: Egress,
  bounds: AnswerBounds,
  onCut?: (error: unknown) => void,
): typeof fetch {
  return async (input, init) => {
    const { gate, send } = exitOf(egressPolicy);
    const url = new URL(input instanceof Request ? input.url : input);
    gate.assertHost({ host: hostOf(url), port: portOf(url) }, given === undefined && !goesByProxy());
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const headers = withTraceHeaders(input, init);
    const sent = {
      ...init,
      ...(headers === undefined ? {} : { headers }),
      ...{ redirect: 'manual' as const, signal: signal ?? AbortSignal.timeout(patienceMs) },
    };
    const response = await (given ?? send)(input, sent).catch((error: unknown) => {
      throw refusalIn(error) ?? error;
    });
    return boundedResponse(response, bounds, onCut);
  };
}

/** @throws TactusError config_invalid where a policy isn't one */
export function checkEgressPolicy(policy: EgressPolicy = openPolicy): void {
  gateOf(policy);
}

function exitOf(policy: EgressPolicy): Exit {
  const known = exits.get(policy);
  if (known !== undefined) return known;
  const gate = gateOf(policy);
  const exit = { gate, send: transport(gate) };
  exits.set(policy, exit);
  return exit;
}

/** What the gate has said as a connection was made: libraries wrap it. */
function refusalIn(error: unknown, depth = 0): TactusError | null {
  if (error instanceof TactusError) return error;
  if (!(error instanceof Error) || depth === deepest) return null;
  const inner: unknown[] =
    error instanceof AggregateError ? [error.cause, ...(error.errors as unknown[])] : [error.cause];
  for (const each of inner) {
    const found = refusalIn(each, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Whoever asks has a time of its own; this one is for those whose library has none. */
const headMs = 60 * 60_000;

/**
 * A `fetch` whose connections are made to addresses that may be asked, and to no others: the platform's own looks a host up by itself.
 */
export function transport(gate: Gate, lookUp?: LookUp): typeof fetch {
  const dispatcher = dispatcherOf(gate, lookUp);
  // The two have types of their own for the same things.
  const send = (url: URL, init: RequestInit): Promise<Response> =>
    // eslint-disable-next-line no-restricted-syntax -- see above
    sendBy(url, { ...init, dispatcher } as never);
  return async (input, init = {}) => {
    if (!(input instanceof Request)) return send(new URL(input), await plain(init));
    const { method, headers, signal, body } = input;
    return send(new URL(input.url), await plain({ method, headers, signal, body, ...init }));
  };
}

function dispatcherOf(gate: Gate, lookUp?: LookUp): Dispatcher {
  const times = { headersTimeout: headMs, bodyTimeout: 0 };
  // Behind a proxy, it alone looks hosts up, and knows the addresses.
  if (goesByProxy()) return new EnvHttpProxyAgent(times);
  return new Agent({
    ...times,
    factory: (origin, options) => {
      const url = new URL(origin);
      const destination = { host: hostOf(url), port: portOf(url) };
      return new Pool(origin, { ...options, connect: { lookup: guardedLookup(gate, destination, lookUp) } });
    },
  });
}

/** As Node itself is told to. */
function goesByProxy(): boolean {
  const { NODE_USE_ENV_PROXY: variable, NODE_OPTIONS: options = '' } = process.env;
  return variable === '1' || [...process.execArgv, ...options.split(' ')].includes('--use-env-proxy');
}

/** Forms and blobs are of classes that the other library doesn't know. */
async function plain({ body, headers, ...init }: RequestInit): Promise<RequestInit> {
  const all = new Headers(headers);
  if (body == null || typeof body === 'string' || body instanceof Uint8Array)
    return { ...init, headers: [...all], body: body ?? null };
  if (body instanceof ReadableStream) return { ...init, headers: [...all], body, duplex: 'half' };
  const encoded = new Response(body);
  const type = encoded.headers.get('content-type');
  if (type !== null && !all.has('content-type')) all.set('content-type', type);
  return { ...init, headers: [...all], body: await encoded.arrayBuffer() };
}

/** Looks names up. */
export type LookUp = (
  host: string,
  options: { all: true; family?: number; hints?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looks a host up for a connection, which is made to one of the addresses that are given here, and so to one that may be asked.
 * Of several, those that may not are left out.
 */
function guardedLookup(gate: Gate, destination: Destination, lookUp: LookUp = lookup): LookupFunction {
  return (host, options, done) => {
    const { family, hints } = options;
    const asked = {
      all: true as const,
      ...(family === undefined
        ? {}
        : { family: typeof family === 'string' ? Number(family.slice(-1)) : family }),
      ...(hints === undefined ? {} : { hints }),
    };
    lookUp(host, asked, (error, found) => {
      if (error !== null) return done(error, '');
      let refusal: Error | null = null;
      const open = found.filter(({ address }) => {
        try {
          gate.assertAddress(destination, address);
          return true;
        } catch (problem) {
          refusal ??= problem as Error;
          return false;
        }
      });
      const [first] = open;
      if (first === undefined) return done(refusal ?? new Error(`${host} has no address`), '');
      return options.all === true ? done(null, open) : done(null, first.address, first.family);
    });
  };
}
