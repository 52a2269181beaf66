import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import type { Message } from '../../contract/model-call.js';
import type { Bridge } from '../kernel/bridge.js';
import { conversation, type Entry } from '../agents/conversation.js';
import { setLibrary } from '../vm/handle.js';
import { byId, keep, readMessage, shownEntry } from '../agents/history-filter.js';
import { pushJson, toJson } from '../values/marshal.js';
import { literal, lua, weigh, type CFunction } from '../vm/fengari.js';

/** Bytes that an entry takes beside its text. */
const entryBytes = 300;

/** What a function does with its argument, and gives. */
type Operation = (bridge: Bridge, given: JsonValue) => JsonValue;

/**
 * `MessageHistory.append{role, content}`, `get()`, `keep_tail(n)` and its like: the conversation of the run, which all
 * agents take part in. What is added here, each of them sees; what is taken away, none sees any longer. `Message{…}` makes
 * a message to add.
 */
export function openMessageHistory(bridge: Bridge): void {
  const functions: Record<string, CFunction> = {};
  for (const [name, operation] of Object.entries(operations))
    functions[name] = (L) => {
      lua.lua_settop(L, 1);
      // All but these go through the conversation.
      if (name !== 'append' && name !== 'inject_system' && name !== 'checkpoint')
        weigh(L, conversation.of(bridge).entries.length);
      pushJson(
        L,
        bridge.scheduler.notes.guard(L, () => operation(bridge, toJson(L, 1))),
      );
      return 1;
    };
  setLibrary(bridge.L, 'MessageHistory', functions);
  lua.lua_pushcfunction(bridge.L, (L) => {
    const { role, content } = bridge.scheduler.notes.guard(
      L,
      () => readMessage(toJson(L, 1), new Map()) as Message,
    );
    pushJson(L, { role, content });
    return 1;
  });
  lua.lua_setglobal(bridge.L, literal('Message'));
}

const operations: Record<string, Operation> = {
  append,
  inject_system: (bridge, text) => {
    if (typeof text !== 'string')
      throw new TactusError('lua_error', 'MessageHistory.inject_system: text expected');
    return append(bridge, { role: 'system', content: text });
  },
  get: (bridge) => shown(conversation.of(bridge).entries),
  clear: (bridge) => replaceBy(bridge, []),
  replace: (bridge, messages) => {
    if (!Array.isArray(messages))
      throw new TactusError('lua_error', 'MessageHistory.replace: a list of messages expected');
    const ids = byId(conversation.of(bridge).entries);
    return replaceBy(
      bridge,
      messages.map((each) => readMessage(each, ids)),
    );
  },
  reset: (bridge, options) => {
    const mode = isObject(options) ? options['keep'] : options;
    const { entries } = conversation.of(bridge);
    if (mode === 'none') return replaceBy(bridge, []);
    if (mode === 'system_all') return replaceBy(bridge, keep(entries, { kind: 'by_role', role: 'system' }));
    return replaceBy(bridge, keep(entries, { kind: 'system_prefix' }));
  },
  head: (bridge, n) => shown(keep(conversation.of(bridge).entries, { kind: 'first_n', n: countOf(n) })),
  tail: (bridge, n) => shown(keep(conversation.of(bridge).entries, { kind: 'last_n', n: countOf(n) })),
  tail_tokens: (bridge, n) =>
    shown(keep(conversation.of(bridge).entries, { kind: 'tail_tokens', n: countOf(n) })),
  slice: (bridge, options) => {
    const { start, stop }: JsonObject = isObject(options) ? options : {};
    const first = typeof start === 'number' ? Math.max(0, Math.trunc(start) - 1) : 0;
    return shown(
      conversation.of(bridge).entries.slice(first, typeof stop === 'number' ? Math.trunc(stop) : undefined),
    );
  },
  keep_head: (bridge, n) => keepOnly(bridge, 'first_n', n),
  keep_tail: (bridge, n) => keepOnly(bridge, 'last_n', n),
  keep_tail_tokens: (bridge, n) => keepOnly(bridge, 'tail_tokens', n),
  rewind: (bridge, n) => {
    const { entries } = conversation.of(bridge);
    return replaceBy(bridge, entries.slice(0, Math.max(0, entries.length - countOf(n))));
  },
  rewind_to: (bridge, target) => {
    const { entries, marks } = conversation.of(bridge);
    const id = typeof target === 'string' ? (marks.get(target) ?? Number(target)) : target;
    const at = entries.findIndex((entry) => entry.id === id);
    if (at < 0)
      throw new TactusError(
        'lua_error',
        `MessageHistory.rewind_to: there is no message or checkpoint ${JSON.stringify(target)}`,
      );
    return replaceBy(bridge, entries.slice(0, at + 1));
  },
  checkpoint: (bridge, name) => {
    const { entries, marks } = conversation.of(bridge);
    const last = entries.at(-1);
    if (last === undefined) return null;
    if (typeof name === 'string') marks.set(name, last.id);
    return last.id;
  },
};

function append(bridge: Bridge, given: JsonValue): null {
  const message = readMessage(given, new Map()) as Message;
  bridge.meter.keep(entryBytes + 2 * message.content.length);
  conversation.of(bridge).add(message, null, bridge.now());
  return null;
}

function keepOnly(bridge: Bridge, kind: 'first_n' | 'last_n' | 'tail_tokens', n: JsonValue): null {
  return replaceBy(bridge, keep(conversation.of(bridge).entries, { kind, n: countOf(n) }));
}

function replaceBy(bridge: Bridge, entries: readonly (Entry | Message)[]): null {
  conversation.of(bridge).replace(entries, bridge.now());
  return null;
}

function shown(entries: readonly Entry[]): JsonValue {
  return entries.map(shownEntry);
}

/** A number of messages or tokens; nothing counts as none. */
function countOf(n: JsonValue): number {
  if (n === null) return 0;
  if (typeof n !== 'number') throw new TactusError('lua_error', 'MessageHistory: a number expected');
  return Math.max(0, Math.trunc(n));
}
