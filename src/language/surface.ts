import { getOwn } from '../contract/json/json.js';
import { language } from './language.generated.js';

/**
 * The names that a procedure may use, each with its members: null where it has none, or where they can't be told. They
 * are those that `types/` declares.
 */
export const surface: Readonly<Record<string, readonly string[] | null>> = readSurface();

function readSurface(): Record<string, string[] | null> {
  const found: Record<string, string[] | null> = { _ENV: null };
  const names = [...Object.keys(language.values), ...Object.keys(language.functions)];
  for (const name of names.filter((each) => !each.includes('.'))) found[name] = null;
  for (const name of names) {
    const [library = '', member] = name.split('.');
    if (member !== undefined) (found[library] ??= []).push(member);
  }
  return found;
}

/** Members of what a class stands for: `tactus.Agent`. */
export function membersOf(name: string): string[] {
  const found = language.classes[name];
  if (found === undefined) return [];
  return [...found.fields.map((field) => field.name), ...found.parents.flatMap(membersOf)];
}

/**
 * What a call of a function of the language asks for, or the record that it leaves, as `---@effect` in `types/` says: the
 * kind of an effect (src/contract/effects/effects.ts), `checkpoint`, `step`, `parallel`, `retry`, `host` or `notify`; null: neither.
 */
export function effectOfCallee(callee: string): string | null {
  return (getOwn(language.functions, callee) ?? getOwn(language.values, callee))?.effect ?? null;
}

/** Whether a procedure waits there. A line of the log is written at once. */
export function waits(effect: string): boolean {
  return effect !== 'notify';
}
