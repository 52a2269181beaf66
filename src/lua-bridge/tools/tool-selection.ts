import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { textsOf } from '../kernel/index.js';
import type { NamedTool, Selection } from './tool-declaration.js';

/** `include`, `exclude`, `prefix`, `rename` of a table; null where it has none of them. */
export function readSelection(fields: JsonObject): Selection | null {
  const { include, exclude, prefix, rename } = fields;
  if ([include, exclude, prefix, rename].every((each) => each === undefined)) return null;
  return {
    include: textsOf(include),
    exclude: textsOf(exclude) ?? [],
    prefix: typeof prefix === 'string' ? prefix : '',
    rename: isObject(rename) ? rename : {},
  };
}

/**
 * The tools as the selection has them. A tool of a toolset goes by the name that it has there as well.
 * @throws TactusError tool_failed where `include` names one that isn't there
 */
export function selectTools(tools: readonly NamedTool[], selection: Selection | null): NamedTool[] {
  if (selection === null) return [...tools];
  const { include, exclude, prefix, rename } = selection;
  const goesBy = (each: NamedTool, wanted: string): boolean => namesOf(each).includes(wanted);
  const missing = include?.find((wanted) => !tools.some((each) => goesBy(each, wanted)));
  if (missing !== undefined)
    throw new TactusError(
      'tool_failed',
      `include names '${missing}', which isn't among ${tools.map(({ name }) => name).join(', ') || 'no tools'}`,
    );
  return tools
    .filter((each) => include === null || include.some((wanted) => goesBy(each, wanted)))
    .filter((each) => !exclude.some((unwanted) => goesBy(each, unwanted)))
    .map((each) => ({ ...each, name: prefix + renamed(rename, each) }));
}

/** That which it has here, that which it was declared under, and that of a server's own. */
function namesOf({ name, tool }: NamedTool): string[] {
  const [, , ...own] = tool.source?.split('.') ?? [];
  return [name, ...(tool.name === null ? [] : [tool.name]), ...(own.length === 0 ? [] : [own.join('.')])];
}

function renamed(rename: JsonObject, named: NamedTool): string {
  const others = namesOf(named).map((name): JsonValue | undefined => getOwn(rename, name));
  const other = others.find((each) => each !== undefined);
  return typeof other === 'string' ? other : named.name;
}
