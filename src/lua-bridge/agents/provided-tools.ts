import { TactusError } from '../../contract/errors.js';
import type { ModelCallResult } from '../../contract/models/model-call.js';
import { providerOfModel } from '../../contract/models/provider-of-model.js';
import { runnerOf, type ProviderTool } from '../../contract/models/provider-tool.js';
import { procedureName } from '../../contract/procedures/source.js';
import type { Bridge } from '../kernel/bridge.js';
import { mocks } from '../mocks/mocks.js';
import type { Step } from '../scheduler/native.js';
import { permission } from '../tools/permission.js';
import type { NamedTool } from '../tools/toolset-declaration.js';
import type { LuaState } from '../vm/fengari.js';
import type { TurnRequest } from './turn-request.js';

/** What the provider runs; one that is mocked is called as any other, and gives what its mock says. */
export function isProvided(bridge: Bridge, { name, tool }: NamedTool): boolean {
  return tool.provided !== null && !mocks.of(bridge).standsFor(name);
}

/**
 * The tools of a turn that providers run, once they may be given to a model. One that may not is left out, and the log says so.
 * @throws TactusError tool_failed where none of the turn's models is of the provider
 */
export function* allowedTools(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
): Generator<Step, ProviderTool[], unknown> {
  const tools: ProviderTool[] = [];
  for (const named of turn.tools) {
    const { provided } = named.tool;
    if (provided === null || !isProvided(bridge, named)) continue;
    const { source, args } = provided;
    const { name } = named;
    assertOfProvider(turn, source);
    try {
      const approval = yield* permission(bridge, L, named, args);
      const procedure = procedureName(bridge.run.source);
      tools.push({ name, source, args, procedure, ...(approval === null ? {} : { approval }) });
    } catch (error) {
      if (!(error instanceof TactusError) || error.code !== 'tool_denied') throw error;
      tellWithheld(bridge, turn, { name, reason: error.message });
    }
  }
  return tools;
}

/** The author sees what a model was not given. */
export function tellWithheld(
  bridge: Bridge,
  turn: TurnRequest,
  { name, reason }: NonNullable<ModelCallResult['withheld']>[number],
): void {
  const context = { agent: turn.name, tool: name };
  bridge.show({ kind: 'log', level: 'warning', message: `${turn.name} · ${reason}`, context });
}

/** A model that stands in for others may be of another provider: it is given none of theirs. */
function assertOfProvider({ name, models }: TurnRequest, source: string): void {
  const providers = models.map(providerOfModel);
  const runner = runnerOf(source);
  if (providers.includes(null) || providers.includes(runner)) return;
  throw new TactusError(
    'tool_failed',
    `${name}: ${runner} runs ${source} for its own models alone, and the model is ${models.join(', ')}`,
  );
}
