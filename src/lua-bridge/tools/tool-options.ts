import { readDuration } from '../../contract/time/duration.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  effectClasses,
  isPythonTool,
  type EffectClass,
  type ListedTool,
} from '../../contract/tools/outside-tool.js';
import type { RetryPolicy } from '../../contract/retries/retry-policy.js';
import { readToolRule } from '../../contract/tools/read-tool-policy.js';
import type { ToolRule } from '../../contract/tools/tool-policy.js';
import { functionAt, jsonAt } from '../values/config-table.js';
import { readRetry } from '../values/retry-policy.js';
import type { Bridge } from '../kernel/bridge.js';
import type { LuaState } from '../vm/fengari.js';

/** What a file says of how a tool is called; what is left out, whoever has the tool says. */
export interface ToolOptions {
  effect?: EffectClass;
  timeoutMs?: number;
  retry?: RetryPolicy;
  /** Registry reference of the function that finds out whether a call was done. */
  verify?: number;
  /** What becomes of a call of which nobody knows whether it was done; left out: a person is asked. */
  onUnknown?: 'ask' | 'error';
  /** Whether a person must say yes first. */
  approval?: ToolRule;
}

/** @throws TactusError source_invalid naming the field */
export function readToolOptions(bridge: Bridge, L: LuaState, config: number, what: string): ToolOptions {
  const field = (name: string): JsonValue => jsonAt(L, config, name);
  const options: ToolOptions = {};
  const effect = field('effect') ?? (field('idempotent') === true ? 'idempotent' : null);
  if (effect !== null) options.effect = oneOf(effectClasses, effect, `${what}: effect`);
  const timeout = field('timeout');
  if (timeout !== null) options.timeoutMs = readDuration(timeout, `${what}: timeout`, 'source_invalid');
  const retry = readRetry(
    { retries: field('retries'), retry: field('retry') },
    what,
    'source_invalid',
    bridge.holds('retry-time'),
  );
  if (retry !== null) options.retry = retry;
  const verify = functionAt(L, config, 'verify');
  if (verify !== null) options.verify = verify;
  const unknown = field('on_unknown');
  if (unknown !== null) options.onUnknown = oneOf(['ask', 'error'] as const, unknown, `${what}: on_unknown`);
  const approval = readApproval(field('approval') ?? field('approve'), `${what}: approval`);
  if (approval !== null) options.approval = approval;
  return options;
}

/** `true`, `"deny"`, or a table as a rule of the policy has it. */
export function readApproval(given: JsonValue, what: string): ToolRule | null {
  if (given === null || given === false) return null;
  const fields: JsonObject = isObject(given) ? given : { action: given === true ? 'approve' : given };
  return readToolRule({ action: 'approve', ...fields, tool: '*' }, what, 'source_invalid');
}

function oneOf<T extends string>(words: readonly T[], given: JsonValue, what: string): T {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const allowed = words.map((word) => JSON.stringify(word)).join(', ');
  throw new TactusError('source_invalid', `${what} must be one of ${allowed}, got ${JSON.stringify(given)}`);
}

/** Who wrote a tool of the worker knows what a second call does: a file can be more careful, and no less. */
export function effectOf(ofFile: EffectClass | undefined, { source, effect }: ListedTool): EffectClass {
  if (ofFile === undefined) return effect;
  const isLess = effectClasses.indexOf(ofFile) < effectClasses.indexOf(effect);
  return isLess && (source.startsWith('host.') || isPythonTool(source)) ? effect : ofFile;
}
