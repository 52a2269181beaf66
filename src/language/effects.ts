import { getOwn } from '../contract/json/json.js';
import { language } from './language.generated.js';

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
