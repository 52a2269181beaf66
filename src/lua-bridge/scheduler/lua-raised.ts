/** A Lua error passes through a generator; the error value is on top of the stack. */
export class LuaRaised extends Error {}
