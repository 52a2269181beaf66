import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from '../contract/traces/trace-context.js';

const outgoing = new AsyncLocalStorage<TraceContext>();

/** All requests that this work sends belong to a trace, and say so by W3C's headers. */
export function inTrace<T>(context: TraceContext, work: () => T): T {
  return outgoing.run(context, work);
}

/** The headers of a request, with those of the trace that it belongs to; its own win. */
export function withTraceHeaders(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): RequestInit['headers'] {
  const context = outgoing.getStore();
  if (context === undefined) return init?.headers;
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  if (headers.has('traceparent')) return init?.headers;
  for (const [name, value] of Object.entries<string>({ ...context })) headers.set(name, value);
  return [...headers];
}
