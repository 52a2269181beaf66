import type { Message, ModelCall } from '../../../contract/models/model-call.js';
import { wellFormed } from '../../text/well-formed.js';
import { withFittingCalls } from './call-ids.js';
import type { ConversationRules } from './conversation-rules.js';
import { withWholeCalls } from './tool-groups.js';

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
