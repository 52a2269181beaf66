import { doing, type Fault } from './fault.js';

export const flow: Fault[] = [
  {
    name: 'chance outside of a checkpoint',
    source: doing('return {x = math.random(6)}'),
    expected: ['2 non_deterministic'],
  },
  {
    name: 'time outside of a checkpoint',
    source: doing('local t = os.time()\nreturn {t = t}'),
    expected: ['2 non_deterministic'],
  },
  {
    name: 'the environment',
    source: doing('return {k = os.getenv("HOME")}'),
    expected: ['2 non_deterministic'],
  },
  {
    name: 'a date in a step',
    source: doing('step("s", function()\n  state.day = os.date()\nend)'),
    expected: ['3 non_deterministic'],
  },
  {
    name: 'chance, when strict',
    source: doing('return {x = math.random(6)}'),
    strict: true,
    expected: ['2 non_deterministic'],
  },
  {
    name: 'time that is recorded too late, when strict',
    source: doing('state.t = os.time()\ncheckpoint()\nreturn {t = state.t}'),
    strict: true,
    expected: ['2 non_deterministic'],
  },
  {
    name: 'a local that a checkpoint assigns',
    source: doing('local n\ncheckpoint(function()\n  n = math.random(6)\nend)\nreturn {n = n}'),
    expected: ['4 checkpoint_local'],
  },
  {
    name: 'variables from outside that a whole procedure and a whole step assign',
    source: [
      'local n = 0',
      'audit = Procedure {',
      '  whole = true,',
      '  function()',
      '    local own = 1',
      '    own = own + 1',
      '    n = n + own',
      '    for i = 1, 2 do n = i end',
      '    state.n = n',
      '  end,',
      '}',
      'function main()',
      '  audit()',
      '  step("free", function() n = 3 end)',
      '  step("whole", function() n = 3 total = 4 end, { whole = true })',
      '  step("caught", audit, { whole = true, on_error = function() n = 5 end })',
      '  return { n = n, total = total }',
      'end',
    ].join('\n'),
    expected: [
      ...['7 whole_assigns', '8 whole_assigns', '15 whole_assigns', '15 whole_assigns', '16 whole_assigns'],
    ],
  },
  {
    name: 'variables from outside that a node of a graph assigns',
    source: [
      'local n = 0',
      'main = Graph {',
      '  channels = { a = Graph.last },',
      '  nodes = {',
      '    a = function(values)',
      '      n = n + 1',
      '      return { writes = { a = n } }',
      '    end,',
      '  },',
      '}',
    ].join('\n'),
    expected: ['6 whole_assigns'],
  },
  {
    name: 'a variable from outside that the body of a durable loop assigns',
    source: [
      'local n = 0',
      'function main()',
      '  return DurableLoop {',
      '    body = function(request, session)',
      '      n = n + 1',
      '      return n > 2 and { n = n } or nil',
      '    end,',
      '  }',
      'end',
    ].join('\n'),
    expected: ['5 whole_assigns'],
  },
  {
    name: 'state that a checkpoint changes',
    source: doing('checkpoint(function()\n  state.n = 1\nend)\nreturn {n = state.n}'),
    expected: ['3 state_in_checkpoint'],
  },
  {
    name: 'State.increment in Step.checkpoint',
    source: doing('Step.checkpoint(function()\n  State.increment("n")\nend)'),
    expected: ['3 state_in_checkpoint'],
  },
  {
    name: 'a request in a comparator',
    source: doing(
      'local t = {2, 1}\ntable.sort(t, function(a, b)\n  return Human.approve(a .. " before " .. b .. "?")\nend)\nreturn {t = t}',
    ),
    expected: ['4 effect_in_callback'],
  },
  {
    name: 'an agent in gsub',
    source:
      'a = Agent { system_prompt = "s" }\nfunction main()\n  local s = ("x y"):gsub("%w", function(w)\n    return a(w).output\n  end)\n  return {s = s}\nend',
    expected: ['4 effect_in_callback'],
  },
  {
    name: 'an approval compared with a text',
    source: doing('local ok = Human.approve("Go?")\nif ok == "yes" then return {x = 1} end\nreturn {x = 2}'),
    expected: ['3 approval_compared'],
  },
  {
    name: 'conversations that grow with each round',
    source:
      'a = Agent { system_prompt = "s" }\nfunction main()\n  while not state.done do\n    local said = a("x").output\n    pcall(function() a.turn({ message = said }) end)\n    state.done = said\n  end\n  for i = 1, 11 do a("y") end\n  return {}\nend',
    expected: [
      '3 unbounded_calls',
      '4 growing_conversation',
      '5 growing_conversation',
      '8 growing_conversation',
    ],
  },
  {
    name: 'loops that ask models for as long as those say',
    source: `a = Agent { system_prompt = "s", message_history = { mode = "isolated" } }
m = Model { type = "http", endpoint = "http://127.0.0.1:1/" }
function main()
  while true do a("x") end
  repeat a.turn({ message = "x" }) until Tool.called("done")
  repeat local ok = pcall(a, "x") until ok
  while true do
    local said = a("x").output
    if said == "done" then break end
    for i = 1, 3 do if i > 2 then break end end
  end
  while not state.done do state.done = m.predict({}) end
  while true do
    local ok, said = pcall(function() return a("x") end)
    if ok then return {x = said.output} end
  end
end`,
    expected: [
      ...['4 unbounded_calls', '5 unbounded_calls', '6 unbounded_calls', '7 unbounded_calls'],
      ...['12 unbounded_calls', '13 unbounded_calls'],
    ],
  },
  {
    name: 'loops that something else bounds',
    source: `a = Agent { system_prompt = "s", message_history = { mode = "isolated" } }
function main()
  local n, list = 0, {"x"}
  while n < 5 do a("x") n = n + 1 end
  while #list > 0 do a(table.remove(list)) end
  repeat a("x") until Tool.called("done") or Iterations.exceeded(10)
  while true do
    n = n + 1
    if n >= 20 then break end
    a("x")
  end
  while true do
    if n > 9 then error("too many") end
    n = n + 1
    a("x")
  end
  repeat a("x") until Human.approve("Enough?")
  while true do a(Event.wait("mail")) end
  while true do a("x") Sleep("1h") end
  while true do a("x") break end
  for i = 1, 20 do a("x") end
  for _, each in ipairs(list) do a(each) end
  while true do Log.info("x") if n > 1 then break end end
  return {}
end`,
    expected: [],
  },
  {
    name: 'a loop that a budget bounds',
    source:
      'a = Agent { system_prompt = "s", message_history = { mode = "isolated" }, budget = { turns = 20 } }\nfunction main()\n  while true do a("x") end\nend',
    expected: [],
  },
  {
    name: 'conversations that do not grow with each round',
    source:
      'a = Agent { system_prompt = "s" }\nb = Agent { system_prompt = "s", filter = filters.last_n(4) }\nfunction main()\n  for _, x in ipairs({1, 2}) do\n    a({ message = "x", message_history = { mode = "isolated" } })\n    b("x")\n    Parallel{ function() a("y") end, function() a("z") end }\n    local own = Agent { system_prompt = "s" }\n    own("w")\n  end\n  for i = 1, 3 do a("y") end\n  return {}\nend',
    expected: [],
  },
  {
    name: 'conversations that the author shortens',
    source:
      'a = Agent { system_prompt = "s" }\nfunction main()\n  for _, x in ipairs({1, 2}) do\n    a("x")\n    a.clear_history()\n  end\n  return {}\nend',
    expected: [],
  },
  {
    name: 'an endless loop',
    source: doing('local n = 0\nwhile true do\n  n = n + 1\nend'),
    expected: ['3 endless_loop'],
  },
  {
    name: 'an endless repeat',
    source: doing('local n = 0\nrepeat\n  n = n + 1\nuntil false'),
    expected: ['3 endless_loop'],
  },
  {
    name: 'code after error',
    source: doing('error("no")\nprint("never")'),
    expected: ['3 unreachable_code'],
  },
  {
    name: 'code after both ways of an if',
    source: doing(
      'local x = Human.approve("Go?")\nif x then\n  return {x = 1}\nelse\n  return {x = 2}\nend\nprint("never")',
    ),
    expected: ['8 unreachable_code'],
  },
  { name: 'an unused local', source: doing('local unused = 1\nreturn {}'), expected: ['2 unused_local'] },
  {
    name: 'an unused function',
    source: 'local function spare() return 1 end\nfunction main() return {} end',
    expected: ['1 unused_local'],
  },
  {
    name: 'more values than the text asks for',
    source: doing('print(string.format("%s", 1, 2))'),
    expected: ['2 format_arguments'],
  },
];
