import type { ProviderRequest } from '../provider-stand-in.js';
import * as rule from './refused-conversation.js';
import {
  chatTurns,
  converseTurns,
  geminiTurns,
  messagesTurns,
  responsesTurns,
  type TurnsOf,
} from './turns-of.js';

interface Rules {
  turnsOf: TurnsOf;
  rules: readonly rule.Rule[];
}

const toolName = rule.names(/^[a-zA-Z0-9_-]{1,64}$/);
const always = [rule.wholeCalls, rule.distinctIds, rule.wellFormedText, toolName];
/** Whoever has a template of its own, and looks at what goes into it. */
const template = [rule.systemFirst, rule.opensWithUser, rule.endsWithUser, rule.saysSomething];

const openai: Rules = { turnsOf: chatTurns, rules: [...always, rule.ids(/^.{1,40}$/)] };
const server: Rules = { turnsOf: chatTurns, rules: [...openai.rules, ...template] };
const gemma: Rules = { turnsOf: chatTurns, rules: [...server.rules, rule.takesTurns] };
const mistral: Rules = {
  turnsOf: chatTurns,
  rules: [
    ...always,
    ...template,
    rule.takesTurns,
    rule.somebodySpoke,
    rule.answersTools,
    rule.ids(/^[a-zA-Z0-9]{9}$/),
  ],
};
const messages: Rules = {
  turnsOf: messagesTurns,
  rules: [
    ...always,
    ...[rule.somebodySpoke, rule.noSystem, rule.opensWithUser, rule.endsWithUser, rule.notBlank],
    rule.ids(/^[a-zA-Z0-9_-]+$/),
  ],
};
const converse: Rules = {
  turnsOf: converseTurns,
  rules: [
    ...always,
    ...[rule.somebodySpoke, rule.noSystem, rule.opensWithUser, rule.endsWithUser, rule.notBlank],
    ...[rule.takesTurns, rule.ids(/^[a-zA-Z0-9_-]{1,64}$/)],
  ],
};
const gemini: Rules = {
  turnsOf: geminiTurns,
  rules: [
    ...[rule.wholeCalls, rule.wellFormedText, rule.names(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/)],
    ...[rule.somebodySpoke, rule.noSystem, rule.opensWithUser, rule.endsWithUser, rule.saysSomething],
  ],
};
const responses: Rules = {
  turnsOf: responsesTurns,
  rules: [...always, rule.ids(/^.{1,64}$/)],
};

/** What the provider at this path says of a conversation that it doesn't take, as the real one does; null: it takes it. */
export function conversationRefusal({ path, body }: ProviderRequest): string | null {
  const rules = rulesAt(path, typeof body['model'] === 'string' ? body['model'] : '');
  return rules === null ? null : rule.refusalOf(rules.turnsOf(body), rules.rules);
}

function rulesAt(path: string, model: string): Rules | null {
  if (path.endsWith('/messages')) return messages;
  if (/\/responses(\?|$)/.test(path)) return responses;
  if (/:(streamG|g)enerateContent/.test(path)) return gemini;
  if (/\/converse(-stream)?$/.test(path)) return converse;
  if (!/\/chat\/completions(\?|$)/.test(path)) return null;
  if (path.startsWith('/mistral/') || /mistral|devstral|mixtral/.test(model)) return mistral;
  if (model.includes('gemma')) return gemma;
  return path.startsWith('/azure/') ? openai : server;
}
