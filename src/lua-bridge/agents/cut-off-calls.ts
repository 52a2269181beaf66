import { TactusError } from '../../contract/errors.js';
import type { Message, ModelCallResult } from '../../contract/models/model-call.js';
import { triesOf } from '../../contract/retries/tries.js';
import type { Bridge } from '../kernel/bridge.js';
import { errorResult, type ToolAnswers } from './run-tools.js';
import type { TurnRequest } from './turn-request.js';

/**
 * What a model is told of the calls in an answer that was cut off; null: the answer is whole. None of them is made: arguments
 * that stop early can be right JSON all the same, and mean something else.
 */
export function cutOffCalls(bridge: Bridge, turn: TurnRequest, answer: ModelCallResult): ToolAnswers | null {
  const { toolCalls } = answer;
  const reason = reasonOf(answer);
  if (toolCalls.length === 0 || reason === null || !bridge.holds('whole-calls')) return null;
  const message = `your answer ${reason}, so none of its calls was made; if it is still needed, call again, with less at once`;
  bridge.show({
    kind: 'log',
    level: 'warning',
    message: `${turn.name}: an answer of ${answer.model} ${reason}; its calls of tools were not made`,
    context: { agent: turn.name, tools: toolCalls.map(({ name }) => name) },
  });
  const messages = toolCalls.map(({ id, name }): Message => ({
    ...{ role: 'tool', toolCallId: id, name },
    content: errorResult(message),
  }));
  return { messages, exhausted: null, stop: null };
}

/**
 * A model that is cut off again and again would be paid for until its rounds are used up.
 * @param times in a row
 * @throws TactusError model_call_failed
 */
export function assertNotAlwaysCut(
  bridge: Bridge,
  { name, settings }: TurnRequest,
  answer: ModelCallResult,
  times: number,
): void {
  if (times < triesOf(bridge.limits, bridge.run.settings, settings.retry).answers) return;
  const next = answer.finishReason === 'length' ? ': raise max_tokens' : '';
  const often = times === 1 ? '' : ` ${times} times in a row`;
  throw new TactusError(
    'model_call_failed',
    `${name}: the answer of ${answer.model}, which calls tools, ${reasonOf(answer) ?? ''}${often}${next}`,
  );
}

function reasonOf({ finishReason }: ModelCallResult): string | null {
  if (finishReason === 'length') return 'was cut off at its limit of tokens';
  return finishReason === 'content_filter' ? "was stopped by the provider's filter" : null;
}
