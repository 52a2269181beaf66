import { GlobalFunctions, lua, native, toJson, type Bridge } from '../kernel/index.js';
import { readDuration } from '../../contract/time/duration.js';

/** `Sleep(seconds)`: a durable timer. */
export function openSleep(bridge: Bridge): void {
  functions.open(bridge);
}

const functions = new GlobalFunctions(['Sleep'], (bridge) => ({
  Sleep: native(bridge, function* (L) {
    lua.lua_settop(L, 1);
    const ms = readDuration(toJson(L, 1), 'Sleep', 'lua_error');
    yield { effect: { type: 'sleep', name: `sleep ${ms / 1_000}s`, effect: { kind: 'sleep', ms } } };
    return 0;
  }),
}));
