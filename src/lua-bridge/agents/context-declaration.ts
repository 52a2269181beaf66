import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { DeclaredList } from '../kernel/declared-list.js';
import { number, readBudget, wrong, type ContextPolicy, type PackBudget } from './context-policy.js';

/** What a retriever finds, or another Context makes, in one place. */
export interface PackDirective {
  type: 'context';
  name: string;
  budget: PackBudget | null;
  /** Its share of what all packs may have, against the others; 1 without it. */
  weight: number;
  /** Those with more have their share first. */
  priority: number;
}

/** One place in the messages that a Context makes. */
export type ContextDirective =
  | { type: 'system' | 'user' | 'assistant'; template: string; values: JsonObject }
  | { type: 'history' }
  | PackDirective;

/** `Context {messages = {system(…), history(), user(…)}}`: what a model is sent, in order. */
export interface ContextDeclaration {
  name: string | null;
  messages: ContextDirective[];
  policy: ContextPolicy | null;
}

export const declaredContexts = new DeclaredList<ContextDeclaration>();

/**
 * Reads the list `messages`.
 * @throws TactusError source_invalid naming the item
 */
export function readDirectives(messages: JsonValue): ContextDirective[] {
  if (!Array.isArray(messages)) throw wrong('messages must be a list');
  return messages.map((each, i) => {
    const directive = isObject(each) ? each : {};
    const { type } = directive;
    if (type === 'history') return { type };
    if (type === 'context') return readPack(directive, `messages[${i + 1}]`);
    const text = directive['template'] ?? directive['content'];
    if ((type !== 'system' && type !== 'user' && type !== 'assistant') || typeof text !== 'string')
      throw wrong(`messages[${i + 1}] must be system(…), user(…), assistant(…) or history()`);
    const values = directive['vars'];
    return { type, template: text, values: isObject(values) ? values : {} };
  });
}

/** @throws TactusError source_invalid */
export function readPack({ name, budget, weight, priority }: JsonObject, what: string): PackDirective {
  if (typeof name !== 'string') throw wrong(`${what} must name a retriever or a Context`);
  return {
    ...{ type: 'context', name, budget: readBudget(budget ?? null, `${what}.budget`, '') },
    weight: number(weight, `${what}.weight`, 0) ?? 1,
    priority: number(priority, `${what}.priority`, Number.NEGATIVE_INFINITY) ?? 0,
  };
}
