import type { Message, ModelCall, ToolCall } from '../../../contract/models/model-call.js';
import { wellFormed } from '../../text/well-formed.js';
import { withFittingCalls } from './call-ids.js';
import type { ConversationRules } from './conversation-rules.js';

/** What stands where a provider wants somebody to have spoken. */
const opening = 'Hello';
const leftOut = '(Earlier messages are left out.)';
const onward = 'Continue.';
const heard = 'OK.';
const nothing = '(nothing)';

type Conversation = Pick<ModelCall, 'system' | 'messages'>;

/**
 * The call with a conversation that its provider takes: whatever filters, forks, imports and other models have left of it. The
 * one place where that is done; what the run keeps stays as it is.
 */
export function fittingCall(call: ModelCall, rules: ConversationRules): ModelCall {
  const written = withWholeCalls(call.messages.map(readable)).filter((message) => !isBlank(message));
  const known = call.tools.map(({ name }) => name);
  const prompt = call.system === null || isEmpty(call.system) ? null : wellFormed(call.system);
  const whole = { system: prompt, messages: withFittingCalls(written, rules.callId, known) };
  return { ...call, ...opened(rules.isStrict ? strict(whole, rules) : whole, rules) };
}

/** Without what providers refuse in any text, and without empty pieces of it. */
function readable(message: Message): Message {
  const content = wellFormed(message.content);
  if (!isEmpty(content)) return { ...message, content };
  return { ...message, content: message.role === 'tool' ? nothing : '' };
}

function isBlank(message: Message): boolean {
  if (message.role === 'assistant' && message.toolCalls !== undefined) return false;
  return isEmpty(message.content);
}

function isEmpty(text: string): boolean {
  return text.trim() === '';
}

/** With a word where nobody has said anything yet. */
function opened({ system, messages }: Conversation, { answersPrompts }: ConversationRules): Conversation {
  if (messages.length > 0) return { system, messages };
  return system === null || !answersPrompts
    ? { system, messages: [said(opening)] }
    : { system: null, messages: [{ role: 'system', content: system }] };
}

function strict(
  { system, messages }: Conversation,
  { answersTools, takesTurns }: ConversationRules,
): Conversation {
  const instructions = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const all = [...(system === null ? [] : [system]), ...instructions];
  const spoken = messages.filter(({ role }) => role !== 'system');
  const turns = takesTurns ? inTurns(spoken) : spoken;
  const first = turns[0]?.role;
  const begun = first === 'assistant' ? [said(leftOut), ...turns] : turns;
  const ended = begun.at(-1)?.role === 'assistant' ? [...begun, said(onward)] : begun;
  return {
    system: all.length === 0 ? null : all.join('\n\n'),
    messages: answersTools ? withAnswers(ended) : ended,
  };
}

/** What one says in a row is one message. */
function inTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const joined = last === undefined ? null : join(last, message);
    if (joined === null) turns.push(message);
    else turns.splice(-1, 1, joined);
  }
  return turns;
}

function join(before: Message, message: Message): Message | null {
  if (before.role !== message.role || message.role === 'tool' || before.role === 'tool') return null;
  const content = [before.content, message.content].filter((text) => !isEmpty(text)).join('\n\n');
  return { role: message.role, content, ...('toolCalls' in message ? { toolCalls: message.toolCalls } : {}) };
}

function withAnswers(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, i): Message[] =>
    message.role === 'user' && messages[i - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: heard }, message]
      : [message],
  );
}

function said(content: string): Message {
  return { role: 'user', content };
}

type Result = Extract<Message, { role: 'tool' }>;

/**
 * The messages with each call of a tool followed by its result, in the order of the calls, and by nothing else before it. Halves of
 * calls are left out: a filter, or a shortened history, can part a call from its result.
 */
function withWholeCalls(messages: readonly Message[]): Message[] {
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
