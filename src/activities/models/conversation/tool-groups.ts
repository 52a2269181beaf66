import type { Message, ToolCall } from '../../../contract/models/model-call.js';

type Result = Extract<Message, { role: 'tool' }>;

/**
 * The messages with each call of a tool followed by its result, in the order of the calls, and by nothing else before it. Halves of
 * calls are left out: a filter, or a shortened history, can part a call from its result.
 */
export function withWholeCalls(messages: readonly Message[]): Message[] {
  return turnsOf(messages).flatMap(([first, ...rest]) => {
    const others = rest.filter(({ role }) => role !== 'tool');
    if (first === undefined || first.role !== 'assistant')
      return [...(first === undefined || first.role === 'tool' ? [] : [first]), ...others];
    const { toolCalls = [], thoughts, ...said } = first;
    const left = rest.filter((message): message is Result => message.role === 'tool');
    const pairs = toolCalls.flatMap((call): [ToolCall, Result][] => {
      const of = left.filter(({ toolCallId }) => toolCallId === call.id);
      const result = of.find(({ name }) => name === call.name) ?? of[0];
      if (result === undefined) return [];
      left.splice(left.indexOf(result), 1);
      return [[call, { ...result, name: call.name }]];
    });
    // Beside calls that are left out, they are others than they were.
    const isWhole = pairs.length === toolCalls.length;
    const thought = thoughts === undefined || !isWhole ? {} : { thoughts };
    if (pairs.length === 0) return [{ ...said, ...thought }, ...others];
    const calls = pairs.map(([call]) => call);
    return [{ ...said, ...thought, toolCalls: calls }, ...pairs.map(([, result]) => result), ...others];
  });
}

/** Each begins with what the model said, and has all that came before it spoke again. */
function turnsOf(messages: readonly Message[]): Message[][] {
  const turns: Message[][] = [[]];
  for (const message of messages)
    if (message.role === 'assistant') turns.push([message]);
    else turns.at(-1)?.push(message);
  return turns;
}
