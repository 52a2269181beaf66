import { TactusError } from '../../contract/errors.js';
import {
  currentFrame,
  GlobalFunctions,
  literal,
  lua,
  pushField,
  pushHandle,
  readSchema,
  toJson,
  type Bridge,
  type Fields,
  type HandleType,
  type LuaState,
  type Schema,
} from '../kernel/index.js';
import { checkInput } from './procedure-declaration.js';
import { keepInput } from './read-only.js';
import { script } from '../state/state-store.js';

/**
 * `input.x`, read-only, in every procedure. In script mode `input {…}` and `output {…}` at the top of the file
 * declare what the script takes and gives; the input is checked there and then.
 */
export function openInput(bridge: Bridge): void {
  const { L, scheduler } = bridge;
  const pushInput = (thread: LuaState): void => {
    lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, currentFrame(thread).scope.input);
  };
  const type: HandleType = {
    name: 'input',
    index: (thread, _held, key) => {
      pushInput(thread);
      pushField(thread, -1, key);
      return 1;
    },
    pairs: pushInput,
    call: (thread) => {
      script.of(bridge).input = scheduler.notes.guard(thread, () => fieldsOf(thread, 'input'));
      const { scope } = currentFrame(thread);
      scope.input = scheduler.notes.guard(thread, () =>
        keepInput(thread, checkInput(script.of(bridge).input ?? {}, bridge.run.input)),
      );
      return 0;
    },
  };
  pushHandle(L, type, null);
  lua.lua_pushvalue(L, -1);
  lua.lua_setglobal(L, literal('input'));
  lua.lua_setglobal(L, literal('params'));
  functions.open(bridge);
}

const functions = new GlobalFunctions(['output'], (bridge) => ({
  output: (L) => {
    script.of(bridge).output = bridge.scheduler.notes.guard(L, () => schemaOf(L, 'output', 1));
    return 0;
  },
}));

function schemaOf(L: LuaState, what: string, index: number): Schema {
  return readSchema(toJson(L, index), what);
}

function fieldsOf(L: LuaState, what: string): Fields {
  const schema = schemaOf(L, what, 2);
  if (schema.kind === 'value') throw new TactusError('source_invalid', `${what} must be a table of fields`);
  return schema.fields;
}
