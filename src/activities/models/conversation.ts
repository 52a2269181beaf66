import { sha256Hex } from '../../contract/effects/digest.js';
import { wellFormed } from '../secrets/secrets.js';
import type { Message, ModelCall, ToolCall } from '../../contract/models/model-call.js';

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
export function fitToProvider(call: ModelCall, rules: ConversationRules): ModelCall {
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
    ? { system, messages: [userMessage(opening)] }
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
  const begun = first === 'assistant' ? [userMessage(leftOut), ...turns] : turns;
  const ended = begun.at(-1)?.role === 'assistant' ? [...begun, userMessage(onward)] : begun;
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

function userMessage(content: string): Message {
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

/** Fits the rules of every provider. */
const madeLength = 9;
const toolName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * The messages with ids and names that a provider takes, in calls and results alike. One that it takes stays as it is; the others
 * become the same one each time, and no two become one. Each call is followed by its results.
 * @param known names of the tools that it is given now
 */
function withFittingCalls(messages: readonly Message[], form: RegExp, known: readonly string[]): Message[] {
  const taken = new Set(idsIn(messages).filter((id) => form.test(id)));
  const used = new Set<string>();
  let renamed: string[] = [];
  return messages.map((message): Message => {
    const name = (given: string): string => (known.includes(given) ? given : fittingName(given));
    if (message.role === 'assistant' && message.toolCalls !== undefined) {
      const toolCalls = message.toolCalls.map((call) => {
        const isKept = form.test(call.id) && !used.has(call.id);
        const id = isKept ? call.id : madeId(call.id, taken);
        for (const each of [taken, used]) each.add(id);
        return { ...call, id, name: name(call.name) };
      });
      renamed = toolCalls.map(({ id }) => id);
      return { ...message, toolCalls };
    }
    if (message.role !== 'tool') return message;
    return { ...message, toolCallId: renamed.shift() ?? message.toolCallId, name: name(message.name) };
  });
}

/** Ids of all calls. */
export function idsIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
  );
}

function madeId(id: string, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const made = sha256Hex(`${n} ${id}`).slice(0, madeLength);
    if (!taken.has(made)) return made;
  }
}

/** Models ask for tools by names that nobody has given; what they were told of it goes back as well. */
function fittingName(name: string): string {
  if (toolName.test(name)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, 64);
}

/** What a provider demands of a conversation, beyond what all of them do. */
export interface ConversationRules {
  /** How the id of a tool call may look. */
  callId: RegExp;
  /**
   * System messages stand before all others, and are its instructions; it begins with what a user says, and ends with that, or with
   * what tools gave.
   */
  isStrict: boolean;
  /** User and model take turns: nobody has two messages in a row. */
  takesTurns: boolean;
  /** What tools gave is answered by the model before a user says something. */
  answersTools: boolean;
  /** It answers a system prompt alone; others want a word first. */
  answersPrompts: boolean;
}

/** Whoever answers has the rules that are true of all: OpenAI's limit of length, and Claude's alphabet. */
export const strictRules: ConversationRules = {
  callId: /^[a-zA-Z0-9_-]{1,40}$/,
  isStrict: true,
  takesTurns: false,
  answersTools: false,
  answersPrompts: false,
};

/** OpenAI's own servers, and those of its models in Azure. */
export const looseRules: ConversationRules = { ...strictRules, isStrict: false, answersPrompts: true };

const mistralRules: ConversationRules = {
  callId: /^[a-zA-Z0-9]{9}$/,
  isStrict: true,
  takesTurns: true,
  answersTools: true,
  answersPrompts: false,
};

/** Models of Mistral's, wherever they run: their template looks at the conversation. */
const mistralModel =
  /(^|[^a-z])(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral|mathstral)/i;

/** Whose templates look at the turns alone. */
const turnsModel = /(^|[^a-z])gemma/i;

/** The rules of a provider's model, given what holds for the provider. */
export function rulesOf(provider: string, model: string, rules: ConversationRules): ConversationRules {
  if (provider === 'mistral' || mistralModel.test(model)) return mistralRules;
  return turnsModel.test(model) ? { ...rules, isStrict: true, takesTurns: true } : rules;
}
