import { isObject, type JsonValue } from '../../src/contract/json/json.js';
import type { Answer, ProviderRequest } from './provider-stand-in.js';

/**
 * Answers that depend on nothing but the request, however often and in whatever order it comes: a model calls
 * `lookup` once when it is told of an order and then answers in words; asked for structure, it sorts a review by its
 * stars, or names a cause; told to work by a plan, it makes one and keeps it; a prediction is a quarter of the number `n`.
 */
export function answerByRequest({ body, path }: ProviderRequest): Answer {
  if (path === '/tell') return { json: {} };
  const { messages, n } = body;
  if (typeof n === 'number') return { json: { score: n / 4 } };
  const planned = byPlan(JSON.stringify(body));
  if (planned !== null) return planned;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const text = textOf(last);
  if (isObject(last) && last['role'] === 'tool') return { text: `It is late: ${text}` };
  const format = body['response_format'];
  if (format !== undefined && JSON.stringify(format).includes('"cause"'))
    return { text: JSON.stringify({ cause: 'a delay' }) };
  if (format !== undefined) return { text: JSON.stringify({ sentiment: sentimentOf(text) }) };
  const order = /order (\w+)/.exec(text)?.[1];
  if (order === undefined) return { text: `You said: ${text}` };
  return { toolCalls: [{ name: 'lookup', arguments: JSON.stringify({ id: order }) }] };
}

/** A plan of two steps is made, and then kept; null where nobody works by one. */
function byPlan(body: string): Answer | null {
  if (!body.includes('You work by the plan')) return null;
  if (body.includes('"role":"tool"')) return { text: 'So far.' };
  const call = (name: string, args: object): Answer => ({
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
  });
  if (!body.includes('**Objective**'))
    return call('planning_setup_plan', { objective: 'The guide', initial_steps: ['Draft', 'Review'] });
  return call('planning_update_step', { step_id: body.includes('Draft (pending)') ? 1 : 2, status: 'done' });
}

function sentimentOf(text: string): string {
  const stars = Number(/\((\d) stars\)\s*Sentiment:$/.exec(text)?.[1]);
  return stars > 3 ? 'positive' : 'negative';
}

function textOf(message: JsonValue | undefined): string {
  const content = isObject(message) ? message['content'] : undefined;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
