import { fieldOf, stringValue, type Expression } from '../syntax/ast.js';
import type { Call, SourceFile } from '../syntax/source-file.js';

export interface Required {
  node: Expression;
  /** null where it is computed. */
  name: string | null;
}

/** Modules that are answered without a file. */
const builtIn = /^tactus(\.|$)/;

/** What a file requires. */
export function requiredIn(file: SourceFile): Required[] {
  return file.calls.flatMap(({ callee, args: [node] }) =>
    callee === 'require' && node !== undefined ? [{ node, name: stringValue(node) }] : [],
  );
}

export function isBuiltIn(name: string): boolean {
  return builtIn.test(name);
}

/** The files that a module may be in, in the order in which they are looked for. */
export function candidatesOf(name: string, entry: string): string[] {
  const path = entry.slice(0, entry.lastIndexOf('/') + 1) + name.replaceAll('.', '/');
  return [`${path}.tac`, `${path}/init.tac`, `${path}.lua`];
}

/** A file whose name differs from one of the candidates in upper and lower case alone. */
export function misCased(candidates: readonly string[], nearby: readonly string[]): string | null {
  const wanted = candidates.map((each) => each.toLowerCase());
  return nearby.find((each) => wanted.includes(each.toLowerCase())) ?? null;
}

/** The files whose tasks a file includes, as they are named among those that travel with a run. */
export function includedIn({ name, calls }: SourceFile): string[] {
  return calls.flatMap((call) => includedBy(call, name)?.file ?? []);
}

/** What `IncludeTasks` names in a file; null for other calls, and where it is computed. */
export function includedBy(
  { callee, args: [first, second] }: Call,
  from: string,
): { file: string; namespace: string | null } | null {
  if (callee !== 'IncludeTasks') return null;
  const config = first?.type === 'TableConstructorExpression' ? first : null;
  const path = stringValue(config === null ? first : fieldOf(config, 'path'));
  const namespace = stringValue(config === null ? second : fieldOf(config, 'namespace'));
  if (path === null) return null;
  return { file: from.slice(0, from.lastIndexOf('/') + 1) + path.replace(/^\.\//, ''), namespace };
}

/** Where a file runs another as a procedure of its own. */
export function procedureFiles({ calls }: SourceFile): { node: Expression; callee: string }[] {
  return calls.flatMap(({ callee, args: [node] }) =>
    /^[Pp]rocedure\.(run|spawn)$/.test(callee) && node !== undefined ? [{ node, callee }] : [],
  );
}

/** The names that such a file may have among those that travel with a run. */
export function procedureCandidates(name: string, entry: string): string[] {
  const path = name.replace(/^\.\//, '');
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  return [path, `${path}.tac`, folder + path, `${folder}${path}.tac`];
}
