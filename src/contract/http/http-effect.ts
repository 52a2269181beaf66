import { idempotentMethods, safeMethods, type HttpRequest } from './http-request.js';
import { always, defineEffect, listed, untilSecond } from '../effects/define-effect.js';

/** One request of the procedure's own. */
export const http = defineEffect<{ kind: 'http'; request: HttpRequest }>()({
  kind: 'http',
  types: ['http'],
  identity: {
    changedWith: ['versioned-digests'],
    fields: {
      kind: always,
      request: {
        fields: {
          method: always,
          url: always,
          headers: always,
          body: always,
          timeoutMs: untilSecond,
          retry: listed,
        },
      },
    },
  },
  effectClass: ({ request: { method } }) => {
    if (safeMethods.includes(method)) return 'pure';
    return idempotentMethods.includes(method) ? 'idempotent' : 'once';
  },
  shown: ({ request: { method, url, body } }) => ({ method, url, ...(body === null ? {} : { body }) }),
  wait: 'activity',
  failure: 'http_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'http',
  example: ({ request }) => ({ status: 200, headers: {}, body: JSON.stringify({ asked: request.url }) }),
});
