import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { getOwn } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import { textAt } from '../values/config-table.js';
import { globalNameOf } from '../vm/handle.js';
import { loadChunk } from '../modules/load-chunk.js';
import type { Native } from '../scheduler/native.js';
import { declaredTasks, type TaskDeclaration } from './task-declaration.js';
import { callingLine } from '../vm/traceback.js';
import { lauxlib, literal, lua, toText } from '../vm/fengari.js';
import { countDeclared } from '../kernel/declared-list.js';

/**
 * `IncludeTasks("tasks/docs.tac", "docs")`, or a table with `path` and `namespace`: adds the tasks of another file, as
 * `docs:…` where a namespace is given. The file lies relative to the one that includes it.
 */
export function includeTasks(bridge: Bridge): Native {
  const { source } = bridge.run;
  const included = new Set<string>();
  // The innermost file that is being included: what it includes lies beside it.
  let current = source.entry;
  return function* (L) {
    const isTable = lua.lua_type(L, 1) === lua.LUA_TTABLE;
    const given = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
    const path = isTable ? textAt(L, 1, 'path') : given;
    const namespace = isTable ? textAt(L, 1, 'namespace') : toText(L, 2);
    if (path === null) return lauxlib.luaL_argerror(L, 1, literal('the name of a file expected'));
    const file = current.slice(0, current.lastIndexOf('/') + 1) + path.replace(/^\.\//, '');
    const text = getOwn(source.files, file);
    const place = callingLine(L);
    const refuse = (code: ErrorCode, problem: string): TactusError =>
      new TactusError(code, `IncludeTasks("${path}"): ${file} ${problem}`, { ...(place ?? {}) });
    if (text === undefined) throw refuse('source_not_found', 'is not among the files of the procedure');
    if (included.has(file) || file === source.entry) throw refuse('source_invalid', 'is included already');
    included.add(file);
    const tasks = declaredTasks.of(bridge);
    const [before, others] = [tasks.length, countDeclared(bridge, declaredTasks)];
    const above = current;
    current = file;
    try {
      loadChunk(L, file, text);
      yield { call: 0, results: 0 };
    } finally {
      current = above;
    }
    if (countDeclared(bridge, declaredTasks) !== others)
      throw refuse(
        'source_invalid',
        'declares more than tasks: put agents, tools and procedures where the tasks are included',
      );
    if (namespace !== null) {
      const children = new Map<string, TaskDeclaration>();
      for (const task of tasks.splice(before)) {
        task.name ??= globalNameOf(L, task);
        if (task.name === null) continue;
        if (children.has(task.name)) throw refuse('source_invalid', `has two tasks ${task.name}`);
        children.set(task.name, task);
      }
      const group = {
        name: namespace,
        description: null,
        entry: null,
        dependsOn: [],
        children,
        isImplied: false,
        place,
      };
      declaredTasks.add(bridge, group);
    }
    return 0;
  };
}
