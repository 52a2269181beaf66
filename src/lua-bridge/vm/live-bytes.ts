import { lua, Table, type LuaState, type TValue } from './fengari.js';

const bytesPer = { entry: 300, table: 450, string: 260, closure: 250, slot: 48, thread: 5000 } as const;

/** A key is kept twice: as its hash as well. Of a short one that is counted with the rest. */
const longText = 64;

interface Closure {
  upvals?: TValue[];
  upvalue?: TValue[];
}

/**
 * Bytes that the values reachable from the registry and the running threads need, estimated: a collector's mark
 * phase. It depends on the Lua values alone, so it answers the same on every machine and on replay.
 */
export function liveBytes(main: LuaState): number {
  const seen = new Set<unknown>();
  const pending: unknown[] = [];
  let bytes = 0;
  const countsHashes = main.l_G.weighs;

  const visit = (value: TValue | undefined): void => {
    const held = value?.value;
    if (typeof held !== 'object' || held === null || seen.has(held)) return;
    seen.add(held);
    pending.push(held);
  };

  visit(main.l_G.l_registry);
  for (let L = main.l_G.running; L !== null; L = L.resumer) visit({ type: lua.LUA_TTHREAD, value: L });
  visit({ type: lua.LUA_TTHREAD, value: main });

  for (let held = pending.pop(); held !== undefined; held = pending.pop()) {
    if (held instanceof Table) {
      bytes += bytesPer.table + held.strong.size * bytesPer.entry;
      for (let entry = held.f; entry !== undefined; entry = entry.n) {
        visit(entry.key);
        visit(entry.value);
      }
      if (held.metatable !== null) visit({ type: lua.LUA_TTABLE, value: held.metatable });
    } else if (isThread(held)) {
      bytes += bytesPer.thread + held.stack.length * bytesPer.slot;
      for (let i = 0; i < held.top; i++) visit(held.stack[i]);
    } else if (isString(held)) {
      bytes += bytesPer.string + held.realstring.length;
      if (countsHashes && held.realstring.length >= longText && held.hash !== null)
        bytes += held.realstring.length;
    } else {
      const { upvals, upvalue } = held as Closure;
      bytes += bytesPer.closure;
      for (const value of upvals ?? upvalue ?? []) visit(value);
    }
  }
  return bytes;
}

function isThread(held: unknown): held is LuaState {
  return typeof held === 'object' && held !== null && 'l_G' in held && 'stack' in held;
}

function isString(held: unknown): held is { realstring: Uint8Array; hash: string | null } {
  return typeof held === 'object' && held !== null && 'realstring' in held;
}
