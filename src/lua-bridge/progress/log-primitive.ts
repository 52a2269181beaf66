import type { LogLevel } from '../../contract/runs/run-view.js';
import {
  decodeLossy,
  lauxlib,
  Library,
  lua,
  toJson,
  weighText,
  type Bridge,
  type CFunction,
} from '../kernel/index.js';
import { logLevels } from './progress.js';

/** `Log.info(message, context)`. A line costs no activity; it is numbered, so whoever reads the run sees it once. */
export function openLog(bridge: Bridge): void {
  log.open(bridge);
}

const log = new Library('Log', ({ show, scheduler }) => {
  const logging =
    (level: LogLevel): CFunction =>
    (thread) => {
      lua.lua_settop(thread, 2);
      const text = lauxlib.luaL_tolstring(thread, 1);
      weighText(thread, text.length);
      const message = decodeLossy(text);
      lua.lua_pop(thread, 1);
      show({ kind: 'log', level, message, context: scheduler.notes.guard(thread, () => toJson(thread, 2)) });
      return 0;
    };
  return Object.fromEntries(Object.entries(logLevels).map(([name, level]) => [name, logging(level)]));
});
