import { defaultLimits } from '../../src/contract/runs/limits.js';
import { isObject } from '../../src/contract/json/json.js';
import { Program } from '../../src/lua-bridge/index.js';
import { surface } from '../../src/language/surface.js';

/** Lua is asked itself, so that no list has to be kept. */
const probe = `
local missing = {}
for name, members in pairs(input.surface) do
  if name ~= "_ENV" and _G[name] == nil then
    missing[#missing + 1] = name
  else
    for _, member in ipairs(members) do
      if _G[name][member] == nil then missing[#missing + 1] = name .. "." .. member end
    end
  end
end
return {missing = missing}`;

let known: ReadonlySet<string> | null = null;

/** Names of the language, and `library.member`s, that are nil in a run of this build. */
export function missingNames(): ReadonlySet<string> {
  known ??= new Set(ask());
  return known;
}

function ask(): string[] {
  const members = Object.entries(surface).map(([name, list]) => [name, [...(list ?? [])]]);
  const program = new Program({
    source: { entry: 'probe.tac', files: { 'probe.tac': probe } },
    input: { surface: Object.fromEntries(members) as Record<string, string[]> },
    runId: 'probe',
    startedAt: 0,
    seed: 'probe',
    limits: defaultLimits,
    carried: [],
  });
  const turn = program.turn();
  if (turn.kind === 'failed') throw turn.error;
  const output = turn.kind === 'completed' && isObject(turn.output) ? turn.output['missing'] : [];
  return Array.isArray(output) ? output.filter((name) => typeof name === 'string') : [];
}
