import { TactusError } from '../../contract/errors.js';
import {
  callingLine,
  DeclaredList,
  handleAt,
  hasField,
  jsonAt,
  lauxlib,
  lua,
  pushField,
  pushHandle,
  textAt,
  textsOf,
  toText,
  type Bridge,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import { procedureNamed } from '../procedures/procedure-declaration.js';

const childCost = 500;
const childBytes = 500;
/** Tasks in tasks in tasks: a table that holds itself must end somewhere. */
const maxDepth = 16;

/** A piece of work of a file, which a run can be started for by its name. */
export interface TaskDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  description: string | null;
  /** null where it only holds others. */
  entry: TaskEntry | null;
  /** Full names of the tasks that are done before it, in this order. */
  dependsOn: string[];
  /** By the name that each has within it. */
  children: Map<string, TaskDeclaration>;
  place: { file: string; line: number } | null;
  /** The file declares something that it comes with: it runs where somebody asks for it by its name. */
  isImplied: boolean;
}

export interface TaskEntry {
  /** The procedure that it names; null where it is a function, or a procedure itself. */
  names: string | null;
  /** Pushes what is called. */
  push: (L: LuaState) => void;
}

export const declaredTasks = new DeclaredList<TaskDeclaration>();

/** What the constructor needs to tell tasks and procedures from other values. */
export interface TaskHandles {
  task: HandleType;
  procedure: HandleType;
}

/**
 * Reads `{entry = …, depends_on = …, description = …, other = Task {…}}` at `config`.
 * @throws TactusError source_invalid
 */
export function readTask(
  bridge: Bridge,
  L: LuaState,
  name: string | null,
  config: number,
  handles: TaskHandles,
  depth = 0,
): TaskDeclaration {
  const what = `Task${name === null ? '' : ` "${name}"`}`;
  const refuse = (problem: string): TactusError => new TactusError('source_invalid', `${what} ${problem}`);
  if (name?.includes(':') === true || name === '')
    throw refuse('must have a name without ":", which stands between a task and one within it');
  if (depth > maxDepth) throw refuse(`holds tasks more than ${maxDepth} deep`);
  const dependsOn = jsonAt(L, config, 'depends_on');
  const names = typeof dependsOn === 'string' ? [dependsOn] : (textsOf(dependsOn ?? []) ?? null);
  if (names === null) throw refuse('must have a list of names as depends_on');
  return {
    name,
    description: textAt(L, config, 'description'),
    entry: entryAt(bridge, L, config, handles, refuse),
    dependsOn: names.filter((each) => each.trim() !== ''),
    children: childrenAt(bridge, L, config, handles, depth),
    place: callingLine(L),
    isImplied: false,
  };
}

function entryAt(
  bridge: Bridge,
  L: LuaState,
  config: number,
  { procedure }: TaskHandles,
  refuse: (problem: string) => TactusError,
): TaskDeclaration['entry'] {
  const type = pushField(L, config, 'entry');
  const isCallable = type === lua.LUA_TFUNCTION || handleAt(L, -1, procedure) !== null;
  if (isCallable) {
    const callable = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    return { names: null, push: (thread) => lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, callable) };
  }
  const text = type === lua.LUA_TSTRING ? toText(L, -1) : null;
  lua.lua_pop(L, 1);
  if (type !== lua.LUA_TNIL && text === null)
    throw refuse('must have as entry a function, or a procedure or its name');
  if (text === null) return null;
  return { names: text, push: (thread) => pushHandle(thread, procedure, procedureNamed(bridge, text)) };
}

/** Tasks within a task: `other = Task {…}`, `Task "other" {…}` as an item, or a plain table with an entry. */
function childrenAt(
  bridge: Bridge,
  L: LuaState,
  config: number,
  handles: TaskHandles,
  depth: number,
): Map<string, TaskDeclaration> {
  const children = new Map<string, TaskDeclaration>();
  lua.lua_checkstack(L, 8);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, config)) {
    const key = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    const held = handleAt(L, -1, handles.task) as TaskDeclaration | null;
    const name = key ?? held?.name ?? null;
    const isInline = key !== null && lua.lua_type(L, -1) === lua.LUA_TTABLE && hasField(L, -1, 'entry');
    bridge.meter.charge(childCost);
    if (name !== null && (held !== null || isInline)) {
      bridge.meter.keep(childBytes);
      children.set(name, held ?? readTask(bridge, L, name, lua.lua_gettop(L), handles, depth + 1));
    }
    lua.lua_pop(L, 1);
  }
  return children;
}
