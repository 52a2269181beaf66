import { doing, type Fault } from './fault.js';

const writer = 'writer = Agent { system_prompt = "s" }\n';

const given = (tool: string, agent: string): string =>
  `search = Tool { ${tool} }\na = Agent { system_prompt = "s", ${agent},\n  tools = {search} }\nfunction main() return {x = a("hi").output} end`;

const byOpenAi = 'model = "openai/gpt-5-mini", model_type = "responses"';

export const references: Fault[] = [
  {
    name: 'a table for a tool that is found by its name, and not there',
    source: 'Tool "adder" {\n  description = "d",\n  input = {},\n  function() return 1 end,\n}',
    expected: ['1 undeclared_reference'],
  },
  {
    name: 'a table for a tool that is found by its name, in brackets',
    source: 'Tool("adder")({ description = "d", function() return 1 end })',
    expected: ['1 undeclared_reference'],
  },
  {
    name: 'the arguments of a tool that is found by its name',
    source:
      'adder = Tool { description = "d", function() return 1 end }\nfunction main() return Tool "adder" { a = 1 } end',
    expected: [],
  },
  {
    name: 'a tool in lower case, whose table declares it',
    source:
      'tool "adder" {\n  description = "d",\n  function() return 1 end,\n}\nfunction main() return Tool "adder" { a = 1 } end',
    expected: [],
  },
  {
    name: 'nodes, channels and fields that a graph does not have',
    source: `main = Graph {
  channels = { notes = Graph.append },
  entrypoint = "pln",
  nodes = {
    plan = function(state)
      if #state.notes > 2 then return { next = state.over and "wite" or nil } end
      return {
        writes = { note = { "a" }, notes = { "b" } },
        next = { "write", "red" },
        ledgers = {},
        ledger = { { topic = "seen" } },
        intents = { { payload = 1 } },
      }
    end,
    write = function() return {} end,
  },
}`,
    expected: [
      ...['3 unknown_node', '6 unknown_node', '8 unknown_channel', '9 unknown_node'],
      ...['10 unknown_key', '11 missing_value', '12 missing_value'],
    ],
  },
  {
    name: 'a channel of a graph without channels',
    source: 'main = Graph {\n  nodes = { a = function() return { writes = { n = 1 } } end },\n}',
    expected: ['2 unknown_channel'],
  },
  ...(
    [
      [
        'a tool that no provider has',
        'provider =\n"openai.websearch"',
        byOpenAi,
        ['2 unknown_provider_tool'],
      ],
      [
        'a tool of a provider, set up wrongly',
        'provider = "openai.web_search", args = {\nsearch_context = "low" }',
        byOpenAi,
        ['2 unknown_provider_tool'],
      ],
      [
        'a tool of a provider, set up well',
        'provider = "openai.web_search", args = { search_context_size = "low" }',
        byOpenAi,
        [],
      ],
      [
        'a tool of a provider that has its models in another way',
        'provider = "google.url_context"',
        'model = "gemini/gemini-3-pro"',
        [],
      ],
      [
        'a tool of another provider',
        'provider = "openai.web_search"',
        'model = "claude-opus-4-5"',
        ['3 wrong_provider'],
      ],
      [
        'a tool of another provider than that which the agent names',
        'provider = "openai.web_search"',
        'provider = "anthropic", model = "m", model_type = "responses"',
        ['3 wrong_provider'],
      ],
      [
        'a tool of a provider of one model of several',
        'provider = "anthropic.web_search"',
        'model = {"gpt-5", "claude-opus-4-5"}',
        [],
      ],
      [
        'a tool of OpenAI, in a chat',
        'provider = "openai.web_search"',
        'model = "openai:gpt-5"',
        ['3 wrong_provider'],
      ],
      [
        'a tool of a provider, where the model is computed',
        'provider = "xai.x_search"',
        'model = input.model',
        [],
      ],
    ] as const
  ).map(([name, tool, agent, expected]): Fault => ({
    name,
    source: given(tool, agent),
    expected: [...expected],
  })),
  {
    name: 'a tool of another provider than that of the default model',
    source:
      'default_model("anthropic/claude-opus-4-5")\na = Agent { system_prompt = "s",\n  tools = {{ provider = "groq.browser_search" }} }\n' +
      'function main() return {x = a("hi").output} end',
    expected: ['3 wrong_provider'],
  },
  {
    name: 'a tool that no provider has, within a list',
    source:
      'a = Agent { system_prompt = "s",\n  tools = {{ provider = "groq.browse" }} }\nfunction main() return {x = a("hi").output} end',
    expected: ['2 unknown_provider_tool'],
  },
  {
    name: 'a tool that is a request, without a function',
    source: 't = Tool { http = "https://shop.example" }\nfunction main() return {x = t()} end',
    expected: [],
  },
  {
    name: 'an unknown tool of an agent',
    source:
      'a = Agent { system_prompt = "s",\n  tools = {"nope"} }\nfunction main() return {x = a("hi").output} end',
    expected: ['2 undeclared_reference'],
  },
  {
    name: 'an unknown tool of a call',
    source: `${writer}function main()\n  return {x = writer({message = "hi", tools = {"nope"}}).output}\nend`,
    expected: ['3 undeclared_reference'],
  },
  {
    name: 'an unknown agent',
    source: `${writer}function main()\n  writer("x")\n  return {x = Agent("writr")("hi").output}\nend`,
    expected: ['4 undeclared_reference'],
  },
  {
    name: 'an unknown tool by its name',
    source: doing('return {x = Tool.called("nope")}'),
    expected: ['2 undeclared_reference'],
  },
  ...(
    [
      ['a tool without what it needs', 't({k = "x"})'],
      ['a tool without anything', 't()'],
      ['a tool with a value of another type', 't({n = "1"})'],
      ['a tool with no table', 't(5)'],
      ['a tool with nil for what it needs', 't({n = nil})'],
      ['a tool with a value that its enum lacks', 't({n = 1, k = "z"})'],
      ['a tool that is looked up', 'Tool("t")({n = true})'],
      ['a procedure without what it needs', 'p({})'],
      ['a procedure with more than it declares', 'p({n = 1, m = 2})'],
      ['a procedure with a list for a number', 'p({n = {1}})'],
      ['a model with input of another type', 'm({text = 1})'],
      ['a model without input', 'm({})'],
      ['a model without what it declares as optional', 'm2({})'],
      ['a model that predicts from another type', 'm.predict({text = 1})'],
    ] as const
  ).map(([name, call]) => ({
    name,
    source: `t = Tool { input = {n = field.number{required = true}, k = field.string{enum = {"x", "y"}}}, function(args) return args.n end }
p = Procedure { input = {n = field.number{required = true}, o = field.number{default = 1}}, function(input) return input.n end }
m = Model { type = "mock", value = 1, input = {text = "string"} }
m2 = Model { type = "mock", value = 1, input = {text = field.string{required = false}, n = field.number{default = 1}} }
Procedure { function()
  m2({text = "x"}) m.predict({text = "x"}) t({n = 1, k = "y", z = 2}) t({n = 1, k = nil}) p({n = 1}) m({text = "x"})
  return {x = ${call}}
end }`,
    expected: ['7 wrong_input'],
  })),
  ...(
    [
      ['a module without an input', 'a({})'],
      ['a module by its words alone', 'a("hi")'],
      ['a module with an input of another type', 'a({text = "x", n = "y"})'],
      ['a module without an input of its table', 'b({m = 1})'],
      ['a module with an input of another type of its table', 'b({text = "x", m = "y"})'],
      ['a module with what its enum has not', 'c({text = "z"})'],
    ] as const
  ).map(([name, call]) => ({
    name,
    source: `a = Module { signature = "text, n: Optional[int], history: dspy.History -> out" }
b = Module "b" { signature = Signature "s" { input = {text = "string", m = field.integer{default = 1}, o = {type = "string", required = false}}, output = {out = "string"} } }
c = Module { signature = { input = {text = field.string{enum = {"x", "y"}}}, output = {out = "string"} } }
Procedure { function()
  a({text = {1}, history = History()}) a({text = 1, n = 2}) b({text = true}) c({text = "x"})
  return {x = ${call}.out}
end }`,
    expected: ['6 wrong_input'],
  })),
  {
    name: 'a mock of nothing',
    source: `${writer}function main() return {x = writer("hi").output} end\nMocks {\n  writer = {message = "a"},\n  riter = {message = "b"},\n}`,
    expected: ['5 unknown_mock'],
  },
  {
    name: 'an unknown model',
    source: doing('return {x = Model("nope")("hi")}'),
    expected: ['2 undeclared_reference'],
  },
  {
    name: 'an unknown procedure',
    source: doing('return {x = Procedure("nope")({})}'),
    expected: ['2 undeclared_reference'],
  },
  {
    name: 'two agents of one name',
    source:
      'Agent "a" { system_prompt = "s" }\nAgent "a" { system_prompt = "t" }\nfunction main() return {x = Agent("a")("hi").output} end',
    expected: ['2 duplicate_declaration'],
  },
  {
    name: 'two tools in one variable',
    source:
      't = Tool { description = "d", function() return 1 end }\nt = Tool { description = "e", function() return 2 end }\nfunction main() return {x = t()} end',
    expected: ['2 duplicate_declaration'],
  },
  {
    name: 'two procedures called main',
    source: 'Procedure "main" { function() return 1 end }\nProcedure "main" { function() return 2 end }',
    expected: ['2 duplicate_declaration'],
  },
  {
    name: 'two main procedures',
    source: 'Procedure { function() return 1 end }\nProcedure { function() return 2 end }',
    expected: ['2 several_main_procedures'],
  },
  {
    name: 'no main procedure',
    source: 'Procedure "a" { function() return 1 end }\nProcedure "b" { function() return 2 end }',
    expected: ['2 no_procedure'],
  },
  {
    name: 'a task that needs one that is not there',
    source: 'Task "a" { entry = function() end }\nTask "b" { depends_on = "c", entry = function() end }',
    expected: ['2 unknown_task'],
  },
  {
    name: 'a task whose entry is no procedure',
    source: 'function main() return 1 end\nTask "b" { entry = "helper" }',
    expected: ['2 unknown_task'],
  },
  {
    name: 'tasks that need each other',
    source:
      'local function nothing() end\nTask "a" { depends_on = "b", entry = nothing }\nTask "b" { depends_on = "a", entry = nothing }',
    expected: ['2 cyclic_tasks'],
  },
  {
    name: 'several tasks, and in one of them a mistake',
    source:
      'Task "a" { entry = function() end }\nTask "b" { entry = function() return Human.aprove("x") end }',
    expected: ['2 unknown_member'],
  },
  {
    name: 'a mistake in a file whose tasks are included',
    source: 'IncludeTasks("tasks/more.tac")\nTask "a" { entry = function() end }',
    files: { 'tasks/more.tac': 'Task "b" {\n  entry = function() return Human.aprove("x") end }' },
    expected: ['2 unknown_member'],
  },
  {
    name: 'a file whose tasks are not there to be included',
    source: 'local tasks = "more.tac"\nIncludeTasks(tasks)',
    expected: ['2 load_failed'],
  },
  { name: 'no procedure at all', source: 'helper = function() return 1 end', expected: ['1 no_procedure'] },
  {
    name: 'a tool that is no tool',
    source: 'a = Agent { system_prompt = "s", tools = {5} }\nfunction main() return {x = a("hi").output} end',
    expected: ['1 wrong_type'],
  },
  {
    name: 'an unused agent',
    source: `${writer}function main() return {} end`,
    expected: ['1 unused_declaration'],
  },
  {
    name: 'an unused tool',
    source: 'function main() return {} end\nspare = Tool { description = "d", function() return 1 end }',
    expected: ['2 unused_declaration'],
  },
  {
    name: 'an unknown name in a prompt',
    source:
      'a = Agent {\n  system_prompt = "About {input.topc}" }\nProcedure { input = { topic = field.string{} },\n  function(input) return {x = a(input.topic).output} end }',
    expected: ['2 unknown_placeholder'],
  },
  {
    name: 'a placeholder of nothing that there is',
    source: `Procedure { input = { topic = field.string{} }, function(input)
      local writer = Agent { system_prompt = "Write {topic} like {output.z}, {topic.a} and {extra.b}" }
      return {text = writer({message = input.topic, extra = {b = 1}}).output}
    end }`,
    expected: ['2 unknown_placeholder'],
  },
  {
    name: 'an unknown state in a prompt',
    source:
      'a = Agent {\n  system_prompt = "Now {state.step}" }\nfunction main() state.stage = 1 return {x = a("hi").output} end',
    expected: ['2 unknown_placeholder'],
  },
];
