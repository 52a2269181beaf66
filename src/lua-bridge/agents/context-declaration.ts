import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import { DeclaredList } from '../kernel/declared-list.js';

/** One place in the messages that a Context makes. */
export type ContextDirective =
  | { type: 'system' | 'user' | 'assistant'; template: string; values: JsonObject }
  | { type: 'history' }
  /** What a retriever finds; there are none yet, so it fails when it is wanted. */
  | { type: 'context'; name: string };

/** `Context {messages = {system(…), history(), user(…)}}`: what a model is sent, in order. */
export interface ContextDeclaration {
  name: string | null;
  messages: ContextDirective[];
}

export const declaredContexts = new DeclaredList<ContextDeclaration>();

/**
 * Reads the list `messages`.
 * @throws TactusError source_invalid naming the item
 */
export function readDirectives(messages: JsonValue): ContextDirective[] {
  if (!Array.isArray(messages)) throw new TactusError('source_invalid', 'Context: messages must be a list');
  return messages.map((each, i) => {
    const directive = isObject(each) ? each : {};
    const { type } = directive;
    if (type === 'history') return { type };
    if (type === 'context') return { type, name: JSON.stringify(directive['name']) };
    const text = directive['template'] ?? directive['content'];
    if ((type !== 'system' && type !== 'user' && type !== 'assistant') || typeof text !== 'string')
      throw new TactusError(
        'source_invalid',
        `Context: messages[${i + 1}] must be system(…), user(…), assistant(…) or history()`,
      );
    const values = directive['vars'];
    return { type, template: text, values: isObject(values) ? values : {} };
  });
}
