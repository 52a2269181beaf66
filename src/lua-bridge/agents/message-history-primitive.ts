import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import {
  GlobalFunctions,
  Library,
  lua,
  pushJson,
  toJson,
  weigh,
  type Bridge,
  type CFunction,
} from '../kernel/index.js';
import { conversation, type Conversation, type Entry } from './conversation.js';
import { entriesById, applyCountingFilter, readMessage, shownEntry } from './history.js';

/** Bytes that an entry takes beside its text. */
const entryBytes = 300;

/** What a function does with its argument, and gives. */
type Operation = (said: Conversation, given: JsonValue, bridge: Bridge) => JsonValue;

/**
 * `MessageHistory.append{role, content}`, `get()`, `keep_tail(n)` and its like: the conversation of the run, which all
 * agents take part in. What is added here, each of them sees; what is taken away, none sees any longer. `Message{…}` makes
 * a message to add.
 */
export function openMessageHistory(bridge: Bridge): void {
  library.open(bridge);
  functions.open(bridge);
}

const library = new Library('MessageHistory', (bridge) => {
  const functionOf =
    (name: string, operation: Operation): CFunction =>
    (L) => {
      lua.lua_settop(L, 1);
      const said = conversation.of(bridge, L);
      // All but these go through the conversation.
      if (name !== 'append' && name !== 'inject_system' && name !== 'checkpoint')
        weigh(L, said.entries.length);
      pushJson(
        L,
        bridge.scheduler.notes.guard(L, () => operation(said, toJson(L, 1), bridge)),
      );
      return 1;
    };
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, functionOf(name, operation)]),
  );
});

const functions = new GlobalFunctions(['Message'], (bridge) => ({
  Message: (L) => {
    const { role, content } = bridge.scheduler.notes.guard(
      L,
      () => readMessage(toJson(L, 1), new Map()) as Message,
    );
    pushJson(L, { role, content });
    return 1;
  },
}));

const operations: Record<string, Operation> = {
  append,
  inject_system: (said, text, bridge) => {
    if (typeof text !== 'string')
      throw new TactusError('lua_error', 'MessageHistory.inject_system: text expected');
    return append(said, { role: 'system', content: text }, bridge);
  },
  get: ({ entries }) => toMessageTables(entries),
  clear: (said, _, bridge) => replaceBy(said, [], bridge),
  replace: (said, messages, bridge) => {
    if (!Array.isArray(messages))
      throw new TactusError('lua_error', 'MessageHistory.replace: a list of messages expected');
    const ids = entriesById(said.entries);
    return replaceBy(
      said,
      messages.map((each) => readMessage(each, ids)),
      bridge,
    );
  },
  reset: (said, options, bridge) => {
    const mode = isObject(options) ? options['keep'] : options;
    if (mode === 'none') return replaceBy(said, [], bridge);
    const filter =
      mode === 'system_all'
        ? ({ kind: 'by_role', role: 'system' } as const)
        : { kind: 'system_prefix' as const };
    return replaceBy(said, applyCountingFilter(said.entries, filter), bridge);
  },
  head: ({ entries }, n) => toMessageTables(applyCountingFilter(entries, { kind: 'first_n', n: countOf(n) })),
  tail: ({ entries }, n) => toMessageTables(applyCountingFilter(entries, { kind: 'last_n', n: countOf(n) })),
  tail_tokens: ({ entries }, n) =>
    toMessageTables(applyCountingFilter(entries, { kind: 'tail_tokens', n: countOf(n) })),
  slice: ({ entries }, options) => {
    const { start, stop }: JsonObject = isObject(options) ? options : {};
    const first = typeof start === 'number' ? Math.max(0, Math.trunc(start) - 1) : 0;
    return toMessageTables(entries.slice(first, typeof stop === 'number' ? Math.trunc(stop) : undefined));
  },
  keep_head: keepOnly('first_n'),
  keep_tail: keepOnly('last_n'),
  keep_tail_tokens: keepOnly('tail_tokens'),
  rewind: (said, n, bridge) => {
    const { entries } = said;
    return replaceBy(said, entries.slice(0, Math.max(0, entries.length - countOf(n))), bridge);
  },
  rewind_to: (said, target, bridge) => {
    const { entries } = said;
    const id = typeof target === 'string' ? (said.marked(target) ?? Number(target)) : target;
    const at = entries.findIndex((entry) => entry.id === id);
    if (at < 0)
      throw new TactusError(
        'lua_error',
        `MessageHistory.rewind_to: there is no message or checkpoint ${JSON.stringify(target)}`,
      );
    return replaceBy(said, entries.slice(0, at + 1), bridge);
  },
  checkpoint: (said, name) => said.mark(typeof name === 'string' ? name : null),
};

function append(said: Conversation, given: JsonValue, bridge: Bridge): null {
  const message = readMessage(given, new Map()) as Message;
  bridge.meter.keep(entryBytes + 2 * message.content.length);
  said.add(message, null, bridge.now());
  return null;
}

function keepOnly(kind: 'first_n' | 'last_n' | 'tail_tokens'): Operation {
  return (said, n, bridge) =>
    replaceBy(said, applyCountingFilter(said.entries, { kind, n: countOf(n) }), bridge);
}

function replaceBy(said: Conversation, entries: readonly (Entry | Message)[], bridge: Bridge): null {
  said.replace(entries, bridge.now());
  return null;
}

function toMessageTables(entries: readonly Entry[]): JsonValue {
  return entries.map(shownEntry);
}

/** A number of messages or tokens; nothing counts as none. */
function countOf(n: JsonValue): number {
  if (n === null) return 0;
  if (typeof n !== 'number') throw new TactusError('lua_error', 'MessageHistory: a number expected');
  return Math.max(0, Math.trunc(n));
}
