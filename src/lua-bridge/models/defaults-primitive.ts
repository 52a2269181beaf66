import {
  GlobalFunctions,
  lauxlib,
  literal,
  lua,
  mapPart,
  PerRun,
  pushText,
  toText,
  type Bridge,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';
import { promptsOf } from '../../contract/procedures/prompts.js';
import { defaultModel, modelName } from './model-choice.js';
import { strictness } from '../determinism/determinism.js';
import { callDepth } from '../procedures/procedure-declaration.js';

/** Texts by name: `Prompt("name", "text")`. */
const prompts = new PerRun(() => new Map<string, string>(), mapPart('prompts'));

/** Those that the source has apart from its code come first. */
const apart = new PerRun(
  ({ holds, run }: Bridge) => new Map(Object.entries(holds('prompts-apart') ? promptsOf(run.source) : {})),
  'declared',
);

/** Declarations for a whole file: `default_provider("openai")`, `default_model("…")`, `strict_determinism(true)`. */
export function openDefaults(bridge: Bridge): void {
  functions.open(bridge);
}

const functions = new GlobalFunctions(
  [
    ...([
      'default_provider',
      'default_model',
      'strict_determinism',
      'max_turns',
      'max_depth',
      'async',
    ] as const),
    ...(['return_prompt', 'error_prompt', 'status_prompt', 'Prompt'] as const),
  ],
  (bridge) => {
    const prompt =
      (name: string): CFunction =>
      (thread) => {
        prompts.of(bridge).set(name, textAt(thread, 1));
        return 0;
      };
    const namedPrompt: CFunction = (thread) => {
      const name = textAt(thread, 1);
      if (!lua.lua_isnoneornil(thread, 2)) prompts.of(bridge).set(name, textAt(thread, 2));
      pushText(thread, apart.of(bridge).get(name) ?? prompts.of(bridge).get(name) ?? '');
      return 1;
    };
    return {
      default_provider: (thread) => {
        defaultModel.of(bridge).provider = textAt(thread, 1);
        return 0;
      },
      default_model: (thread) => {
        defaultModel.of(bridge).model = modelName(textAt(thread, 1));
        return 0;
      },
      strict_determinism: (thread) => {
        lauxlib.luaL_checktype(thread, 1, lua.LUA_TBOOLEAN);
        strictness.of(bridge).isDeclared = lua.lua_toboolean(thread, 1);
        return 0;
      },
      max_turns: aNumber,
      max_depth: (thread) => {
        callDepth.of(bridge).most = readMaxDepth(thread);
        return 0;
      },
      async: aBoolean,
      return_prompt: prompt('return'),
      error_prompt: prompt('error'),
      status_prompt: prompt('status'),
      Prompt: namedPrompt,
    };
  },
  { prompt: 'Prompt' },
);

function textAt(L: LuaState, index: number): string {
  const text = lua.lua_type(L, index) === lua.LUA_TSTRING ? toText(L, index) : null;
  return text ?? lauxlib.luaL_argerror(L, index, literal('text expected'));
}

function readMaxDepth(L: LuaState): number {
  const depth = lauxlib.luaL_checkinteger(L, 1);
  return depth >= 1 ? depth : lauxlib.luaL_argerror(L, 1, literal('at least 1 expected'));
}

/** A bound that the reference takes and doesn't keep: turns are bounded by the run's own limits. */
const aNumber: CFunction = (L) => {
  lauxlib.luaL_checknumber(L, 1);
  return 0;
};

/** Whether the caller has to wait is the caller's choice here; the reference keeps the word and looks at it nowhere. */
const aBoolean: CFunction = (L) => {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TBOOLEAN);
  return 0;
};
