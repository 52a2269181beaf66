import { TactusError } from '../contract/errors.js';
import type { AnswerBounds } from './answer-bounds.js';
import { boundedResponse } from './bounded-response.js';
import type { EgressPolicy } from './egress-policy.js';
import { hostOf, portOf } from './egress-rule.js';
import { gateOf, type Gate } from './gate.js';
import { goesByProxy, transport } from './transport.js';

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
    const sent = { ...init, redirect: 'manual' as const, signal: signal ?? AbortSignal.timeout(patienceMs) };
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
