import { decodeLossy, literal, lua, weigh, type LuaState } from './fengari.js';

/** Frames that are looked at, of Lua and JavaScript: finding the nth costs n, and errors may come in storms. */
const maxLevels = 40;
const maxFrames = 20;
/** Instructions that a frame costs which is shown. */
const frameCost = 100;

export interface Traceback {
  /** Innermost line of the author's Lua; empty where no Lua code runs. */
  at: { file: string; line: number } | Record<string, never>;
  /** One line a frame, innermost first: `review.tac:12: in function 'triage'`. */
  text: string;
}

/** The Lua frames of a thread and of those that resumed it. Frames of JavaScript are left out: they tell an author nothing. */
export function traceback(thread: LuaState): Traceback {
  const lines: string[] = [];
  let at: Traceback['at'] = {};
  let inModule: Traceback['at'] = {};
  for (let L: LuaState | null = thread; L !== null; L = L.resumer) {
    const info = new lua.lua_Debug();
    for (let level = 0; level < maxLevels && lua.lua_getstack(L, level, info); level++) {
      lua.lua_getinfo(L, literal('nSl'), info);
      if (info.currentline <= 0) continue;
      const file = decodeLossy(info.short_src);
      const place = { file, line: info.currentline };
      // A line of the standard library tells an author nothing: the one that called it does.
      if (!isStandardModule(file)) at = 'file' in at ? at : place;
      else inModule = 'file' in inModule ? inModule : place;
      if (lines.length < maxFrames) lines.push(`${file}:${info.currentline}: in ${describe(info)}`);
    }
  }
  return { at: 'file' in at ? at : inModule, text: lines.join('\n') };
}

/** The same where a procedure has asked for it, or may again and again. */
export function chargedTraceback(thread: LuaState): Traceback {
  const trace = traceback(thread);
  weigh(thread, frameCost * trace.text.split('\n').length);
  return trace;
}

/** Modules that are built in are named without an ending, files with theirs. */
function isStandardModule(file: string): boolean {
  return /^tactus\.(?!.*\.(tac|lua)$)/.test(file);
}

function describe(info: { what: Uint8Array; name: Uint8Array | null; linedefined: number }): string {
  if (decodeLossy(info.what) === 'main') return 'main chunk';
  if (info.name !== null) return `function '${decodeLossy(info.name)}'`;
  return `function at line ${info.linedefined}`;
}

/** Where the function on top begins, which it takes from the stack. */
export function definedAt(L: LuaState): { file: string; line: number } {
  const info = new lua.lua_Debug();
  lua.lua_getinfo(L, literal('>S'), info);
  return { file: decodeLossy(info.short_src), line: info.linedefined };
}

/** The author's line that led to the running JavaScript function: of a built-in module only where nobody called that; or null. */
export function callingLine(thread: LuaState): { file: string; line: number } | null {
  const info = new lua.lua_Debug();
  let inModule: { file: string; line: number } | null = null;
  for (let L: LuaState | null = thread; L !== null; L = L.resumer) {
    for (let level = 0; level < maxLevels && lua.lua_getstack(L, level, info); level++) {
      lua.lua_getinfo(L, literal('Sl'), info);
      if (info.currentline <= 0) continue;
      const file = decodeLossy(info.short_src);
      const place = { file, line: info.currentline };
      if (!isStandardModule(file)) return place;
      inModule ??= place;
    }
  }
  return inModule;
}
