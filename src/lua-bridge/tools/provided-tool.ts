import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { providerSource, providerToolProblem, runnerOf } from '../../contract/models/provider-tool.js';
import type { Bridge } from '../kernel/bridge.js';
import { jsonAt, textAt } from '../values/config-table.js';
import type { LuaState } from '../vm/fengari.js';
import type { ToolDeclaration } from './tool-declaration.js';

/**
 * What the table of a tool says of the provider that runs it: `provider = "openai.web_search"`; null where it names none.
 * @throws TactusError source_invalid where no provider has such a tool, or it isn't set up so
 */
export function providedAt(
  bridge: Bridge,
  L: LuaState,
  config: number,
  what: string,
): ToolDeclaration['provided'] {
  const written = bridge.holds('call-options') ? textAt(L, config, 'provider') : null;
  if (written === null) return null;
  const source = providerSource(written);
  const args = settingsOf(jsonAt(L, config, 'args'));
  const problem =
    args === null ? 'args must be a table of settings by their names' : providerToolProblem(source, args);
  if (args === null || problem !== null) throw new TactusError('source_invalid', `${what}: ${problem}`);
  return { source, args };
}

/** A table without fields is a list to Lua. */
function settingsOf(given: JsonValue): JsonObject | null {
  if (given === null || (Array.isArray(given) && given.length === 0)) return {};
  return isObject(given) ? given : null;
}

/** What calls such a tool from within the run is told. */
export function notOurs(name: string, source: string): TactusError {
  return new TactusError(
    'tool_failed',
    `${name} can't be called: ${runnerOf(source)} runs it itself, in turns of agents that have it`,
  );
}
