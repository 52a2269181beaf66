import type { ProcedureSource } from '../dist/contract/procedures/source.js';

/** What a large procedure consists of: a tool, an agent, and functions that use them. `N` is the number of the desk. */
const desk = `
-- What comes in at desk N.
lookup_N = Tool {
  description = "Looks an order of desk N up by its number",
  input = {
    id = field.string{required = true},
    limit = field.integer{default = N},
  },
  function(args)
    local total = 0
    for i = 1, args.limit do total = total + i * N end
    return { id = args.id, total = total }
  end,
}

clerk_N = Agent {
  model = "openai/gpt-5-mini",
  system_prompt = "You sort what comes in at desk N. Look the order up first.",
  temperature = 0,
  tools = { lookup_N },
  output = { topic = field.string{required = true}, urgent = field.boolean{} },
}

local function points_N(text)
  local points = {}
  for word in text:gmatch("%a+") do
    points[#points + 1] = #word * N
  end
  table.sort(points)
  if #points > 3 then return points[1] + points[#points] end
  return #points
end

local function route_N(message)
  local found = clerk_N({message = message}).output
  if found.urgent and points_N(message) > 10 then
    local ok = Human.approve{message = "Answer desk N at once?", context = found, timeout = "1d", default = false}
    if not ok then error("nobody wants to answer desk N") end
  end
  return found.topic
end
desks[N] = route_N
`;

const before = `-- Sorts messages by the desks that they belong to, and scores them.
score = Model { type = "mock", value = {score = 0.5} }
desks = {}
`;

const after = `
Procedure {
  input = {
    n = field.integer{default = 1},
    message = field.string{},
  },
  output = { sum = field.number{required = true}, topics = field.array{} },
  function(input)
    local sum, topics = 0, {}
    for i = 1, input.n do sum = sum + score({ i = i }).output.score end
    if input.message then
      for i, route in ipairs(desks) do topics[i] = route(input.message) end
    end
    return { sum = sum, topics = topics }
  end,
}
`;

const linesOf = (text: string): number => text.split('\n').length - 1;

/** A procedure of so many lines, always the same: from 20 on. Without a message it makes `n` predictions, and no more. */
export function largeProcedure(lines: number): ProcedureSource {
  const rest = lines - linesOf(before) - linesOf(after);
  const count = Math.floor(rest / linesOf(desk));
  const desks = Array.from({ length: count }, (_, i) => desk.replace(/\bN\b|(?<=_)N\b/g, String(i + 1)));
  const padding = '-- \n'.repeat(rest - count * linesOf(desk));
  return { entry: 'large.tac', files: { 'large.tac': [before, ...desks, padding, after].join('') } };
}
