import type { Turn } from './turns-of.js';

/** A rule of a provider: what it says of a conversation that breaks it; null: nothing. */
export type Rule = (turns: readonly Turn[]) => string | null;

/** What the first rule says that the conversation breaks. */
export function refusalOf(turns: readonly Turn[], rules: readonly Rule[]): string | null {
  for (const rule of rules) {
    const said = rule(turns);
    if (said !== null) return said;
  }
  return null;
}

const each =
  (test: (turn: Turn, i: number, turns: readonly Turn[]) => string | null): Rule =>
  (turns) =>
    turns.map(test).find((said) => said !== null) ?? null;

const isResult = ({ results }: Turn): boolean => results.length > 0;

/** Results follow their calls at once: all of them, and no others. The protocol has one message for each, or for all. */
export const wholeCalls: Rule = each(({ calls, results }, i, turns) => {
  if (calls.length > 0 && turns[i + 1]?.calls.length !== 0 && turns[i + 1] !== undefined) return null;
  if (calls.length > 0) {
    const asked = callsBefore(turns, i + 1);
    const given = resultsFrom(turns, i + 1);
    const missing = asked.filter((id) => !given.includes(id));
    if (missing.length > 0) return `tool calls without results immediately after: ${missing.join(', ')}`;
  }
  const before = callsBefore(turns, i);
  const orphan = results.find((id) => !before.includes(id));
  return orphan === undefined ? null : `unexpected result ${orphan}: no such call in the previous message`;
});

/** Of the messages with calls that stand right before `end`, or before the results there. */
function callsBefore(turns: readonly Turn[], end: number): string[] {
  let at = end - 1;
  while (at >= 0 && isResult(turns[at] as Turn) && turns[at]?.role === 'tool') at--;
  const ids: string[] = [];
  for (; at >= 0 && (turns[at]?.calls.length ?? 0) > 0; at--)
    ids.push(...(turns[at]?.calls ?? []).map(({ id }) => id));
  return ids;
}

function resultsFrom(turns: readonly Turn[], from: number): string[] {
  const ids: string[] = [];
  for (let at = from; at < turns.length && isResult(turns[at] as Turn); at++)
    ids.push(...(turns[at]?.results ?? []));
  return ids;
}

export const distinctIds: Rule = (turns) => {
  const ids = turns.flatMap(({ calls }) => calls.map(({ id }) => id));
  return new Set(ids).size === ids.length ? null : 'tool_use ids must be unique';
};

export const ids = (form: RegExp): Rule =>
  each(({ calls }) => {
    const wrong = calls.find(({ id }) => !form.test(id));
    return wrong === undefined ? null : `tool call id was ${wrong.id} but must match ${form.source}`;
  });

export const names = (form: RegExp): Rule =>
  each(({ calls }) => {
    const wrong = calls.find(({ name }) => !form.test(name));
    return wrong === undefined ? null : `tool name ${wrong.name} must match ${form.source}`;
  });

export const notBlank: Rule = each(({ texts }) =>
  texts.some((text) => text.trim() === '') ? 'text content must contain non-whitespace text' : null,
);

export const saysSomething: Rule = each(({ texts, calls, results }) =>
  texts.join('').trim() === '' && calls.length + results.length === 0 ? 'a message has no content' : null,
);

export const systemFirst: Rule = each(({ role }, i, turns) =>
  role === 'system' && turns.slice(0, i).some((before) => before.role !== 'system')
    ? 'System message must be at the beginning.'
    : null,
);

export const noSystem: Rule = each(({ role }) =>
  role === 'system' ? 'Unexpected role "system": use the top-level parameter' : null,
);

/** Beside the system prompt. */
const spoken = (turns: readonly Turn[]): Turn[] => turns.filter(({ role }) => role !== 'system');

export const opensWithUser: Rule = (turns) => {
  const [first] = spoken(turns);
  return first === undefined || (first.role === 'user' && !isResult(first))
    ? null
    : 'first message must use the "user" role';
};

export const somebodySpoke: Rule = (turns) => (spoken(turns).length > 0 ? null : 'messages is empty');

export const endsWithUser: Rule = (turns) =>
  spoken(turns).at(-1)?.role === 'assistant' ? 'the last message must be a user message or a result' : null;

export const takesTurns: Rule = (turns) =>
  each(({ role }, i, all) =>
    i > 0 && role !== 'tool' && all[i - 1]?.role === role
      ? 'Conversation roles must alternate user/assistant/user/assistant/...'
      : null,
  )(spoken(turns));

export const answersTools: Rule = each(({ role }, i, turns) =>
  role === 'user' && turns[i - 1]?.role === 'tool' ? "Unexpected role 'user' after role 'tool'" : null,
);

export const wellFormedText: Rule = each(({ texts }) =>
  texts.some((text) => Buffer.from(text).toString() !== text)
    ? 'str is not valid UTF-8: surrogates not allowed'
    : null,
);
