import type { Answer, ProviderRequest } from '../support/provider-stand-in.js';
import { answerByRequest } from '../support/model-answers.js';

/**
 * What the kept procedures are answered, by the end of the path: `busy` at the first time only, and by the body where
 * the path says nothing.
 */
export function keptReply(): (request: ProviderRequest) => Answer {
  const seen = new Set<string>();
  return (request) => {
    const { path, body, headers } = request;
    const key = String(headers['idempotency-key']);
    const isFirst = !seen.has(key);
    seen.add(key);
    const refused = { 'x-should-retry': 'false' };
    if (path.endsWith('/hangs')) return { hang: true };
    if (path.endsWith('/missing')) return { status: 404, body: 'nothing here' };
    if (path.endsWith('/broken')) return { status: 500, headers: refused, body: 'broken' };
    if (path.endsWith('/busy') && isFirst) return { status: 503, headers: { 'retry-after-ms': '1' } };
    if (JSON.stringify(body).includes('break, please')) return { status: 400, headers: refused };
    return answerByRequest(request);
  };
}
