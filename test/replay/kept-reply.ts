import type { Answer, ProviderRequest } from '../support/provider-stand-in.js';
import { answerByRequest } from '../support/model-answers.js';

/**
 * What the kept procedures are answered, by the end of the path: `busy` at the first time only, and by the body where
 * the path says nothing.
 */
export function keptReply(): (request: ProviderRequest) => Answer {
  const seen = new Set<string>();
  let notes = 0;
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
    const asked = JSON.stringify(body);
    if (asked.includes('hang, please') && !asked.includes('Go on')) return { hang: true };
    if (asked.includes('Sum up this conversation')) return { text: 'Notes were taken.' };
    if (asked.includes('take six notes') && (notes < 6 || !isFirst))
      return { toolCalls: [{ name: 'note', arguments: `{"n":${isFirst ? ++notes : notes}}` }] };
    return ofModels(asked) ?? answerByRequest(request);
  };
}

/** What is written and mended; null where the request alone says what is answered. */
function ofModels(body: string): Answer | null {
  if (body.includes('mend me'))
    return { text: body.includes("can't be used") ? '{"n": 4}' : '{"n": "four"}' };
  const isAnswered = body.includes('"role":"tool"');
  if (body.includes('think about it') && !isAnswered) return { json: thinking };
  if (body.includes('be cut off') && !isAnswered)
    return { toolCalls: [{ name: 'look', arguments: '{}' }], finishReason: 'length' };
  if (!body.includes('write a procedure') || isAnswered) return null;
  const code = 'local sum = 0 for n = 1, 3 do sum = sum + price{ n = n } end return sum';
  return { toolCalls: [{ name: 'run_procedure', arguments: JSON.stringify({ code }) }] };
}

/** An answer of a model that says what it thought before it calls a tool. */
const thinking = {
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4o-mini' },
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  choices: [
    {
      ...{ index: 0, finish_reason: 'tool_calls' },
      message: {
        ...{ role: 'assistant', content: '', reasoning_content: 'I have to look.' },
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
    },
  ],
};
