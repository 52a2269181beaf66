import { lauxlib, Library, literal, lua, pushJson, toJson, toText, type Bridge } from '../kernel/index.js';
import { hostCall } from './tool-source.js';

/** `Host.call("host.ping", {…})`: what the host does for every procedure. */
export function openHost(bridge: Bridge): void {
  host.open(bridge);
}

const host = new Library('Host', ({ scheduler }) => ({
  call: (thread) => {
    lua.lua_settop(thread, 2);
    const name =
      toText(thread, 1) ??
      lauxlib.luaL_argerror(thread, 1, literal('the name of a function of the host expected'));
    scheduler.notes.guard(thread, () => pushJson(thread, hostCall(name, toJson(thread, 2))));
    return 1;
  },
}));
