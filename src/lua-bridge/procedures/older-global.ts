import { setOwnGlobal } from './own-global.js';
import type { LuaState } from '../vm/fengari.js';

/**
 * `agent("greeter", {…})` makes the global `Greeter` in the 0.10 dialect, and `model` likewise. Sets it to the handle on
 * top of the stack, unless the file has something of that name.
 */
export function setOlderGlobal(L: LuaState, name: string): void {
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const pascal = name.split('_').map(capital).join('');
  // `Contact_formatter` is what that dialect makes of contact_formatter; its examples write `ContactFormatter` as well.
  for (const global of [capital(name), capital(name.toLowerCase()), pascal]) setOwnGlobal(L, global);
}
