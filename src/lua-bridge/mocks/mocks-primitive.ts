import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import { GlobalFunctions, lauxlib, lua, toJson, type Bridge, type CFunction } from '../kernel/index.js';
import { declaredMocks } from './mocks.js';

/** All that a mock may say of an agent, a tool or a model. */
const known = [
  'returns',
  'temporal',
  'conditional',
  'error',
  'message',
  'tool_calls',
  'data',
  'usage',
] as const;

/** `Mocks { search = {returns = …}, greeter = {message = …, tool_calls = {…}} }`: what tests get instead. */
export function openMocks(bridge: Bridge): void {
  functions.open(bridge);
}

const functions = new GlobalFunctions(['Mocks', 'mocks'], (bridge) => {
  const noteMocks: CFunction = (L) => {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
    bridge.scheduler.notes.guard(L, () => declare(bridge, toJson(L, 1) as JsonObject));
    return 0;
  };
  return { Mocks: noteMocks, mocks: noteMocks };
});

/** @throws TactusError source_invalid naming the mock */
function declare(bridge: Bridge, mocks: JsonObject): void {
  for (const [name, mock] of Object.entries(mocks)) {
    const invalid = (problem: string): TactusError =>
      new TactusError('source_invalid', `Mocks: ${name} ${problem}`);
    if (!isObject(mock)) throw invalid('must be a table such as { returns = … } or { message = … }');
    const odd = Object.keys(mock).find((key) => !(known as readonly string[]).includes(key));
    if (odd !== undefined) throw invalid(`has the unknown key ${odd}; there are ${known.join(', ')}`);
    if (Object.keys(mock).length === 0) throw invalid('says nothing');
    bridge.meter.keep(JSON.stringify(mock).length);
    declaredMocks.of(bridge).set(name, mock);
  }
}
