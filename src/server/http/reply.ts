import type { Context, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A JSON answer. Its shape is told by the route's schema, and held to it in the tests: what runs tell is passed on as it is. */
export function reply<S extends ContentfulStatusCode>(
  c: Context,
  status: S,
  body: object,
): Response & TypedResponse<never, S, 'json'> {
  c.header('cache-control', 'no-store');
  return c.json(body as never, status);
}
