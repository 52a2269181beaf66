import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { RequestIdVariables } from 'hono/request-id';

/** A request that was answered. It has neither the query nor a body: these may hold what nobody else is to read. */
export interface AnsweredRequest {
  /** As the sender names it in `X-Request-Id`, else a new one; the answer has it too. */
  request_id: string;
  method: string;
  path: string;
  status: number;
  /** From the first byte of the request to the answer's head. */
  ms: number;
}

/** @param route the pattern of the path, such as `/api/v1/runs/:id`: there are few, and none has content */
export type OnRequest = (level: 'debug' | 'error', request: AnsweredRequest, route: string) => void;

/** Tells of each request when it is answered. */
export function answered(
  tell: OnRequest = () => undefined,
): MiddlewareHandler<{ Variables: RequestIdVariables }> {
  return async (c, next) => {
    const begin = performance.now();
    await next();
    // An error's answer is made anew, without the headers of before.
    c.header('x-request-id', c.get('requestId'));
    const { method, path } = c.req;
    const { status } = c.res;
    const ms = Math.round(performance.now() - begin);
    const request = { request_id: c.get('requestId'), method, path, status, ms };
    tell(status >= 500 && status !== 503 ? 'error' : 'debug', request, routePath(c));
  };
}
