import type { Context, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONParsed } from 'hono/utils/types';

/**
 * A JSON answer. That it has the shape of its route's schema, the compiler sees where the route gets its handler: a body of
 * which nothing is known (`object`) would fit all of them, and is refused.
 */
export function reply<T extends object, Status extends ContentfulStatusCode>(
  c: Context,
  status: Status,
  body: object extends T ? never : T,
): Response & TypedResponse<JSONParsed<T>, Status, 'json'> {
  c.header('cache-control', 'no-store');
  return c.json<T, Status>(body, status);
}
