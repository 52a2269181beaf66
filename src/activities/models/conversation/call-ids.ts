import { sha256Hex } from '../../../contract/effects/digest.js';
import type { Message } from '../../../contract/models/model-call.js';

/** Fits the rules of every provider. */
const madeLength = 9;
const toolName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * The messages with ids and names that a provider takes, in calls and results alike. One that it takes stays as it is; the others
 * become the same one each time, and no two become one. Each call is followed by its results.
 * @param known names of the tools that it is given now
 */
export function withFittingCalls(
  messages: readonly Message[],
  form: RegExp,
  known: readonly string[],
): Message[] {
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
