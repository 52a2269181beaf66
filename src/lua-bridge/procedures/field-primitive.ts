import { evaluatorTypes } from '../../contract/specifications/scenario.js';
import { Library, lua, pushText, setField, type Bridge, type CFunction } from '../kernel/index.js';

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'table', 'any'];

/** `field.string{required = true}` and its like: a plain table with the type written into it. */
export function openField(bridge: Bridge): void {
  field.open(bridge);
}

const field = new Library('field', () =>
  Object.fromEntries([...types, ...evaluatorTypes].map((type) => [type, fieldOf(type)])),
);

function fieldOf(type: string): CFunction {
  return (thread) => {
    lua.lua_settop(thread, 1);
    if (lua.lua_type(thread, 1) !== lua.LUA_TTABLE) {
      lua.lua_settop(thread, 0);
      lua.lua_createtable(thread, 0, 1);
    }
    pushText(thread, type);
    setField(thread, 1, 'type');
    return 1;
  };
}
