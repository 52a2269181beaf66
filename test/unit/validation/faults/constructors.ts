import { doing, type Fault } from './fault.js';

/** A procedure with an agent of this table: its second line is the first of the table. */
function agent(table: string): string {
  return `a = Agent {\n${table}\n}\nfunction main() return {x = a("hi").output} end`;
}

export const constructors: Fault[] = [
  ...(
    [
      ['a text to floor', 'math.floor({})', 'wrong_type'],
      ['no text to repeat', 'string.rep({}, 2)', 'wrong_type'],
      ['a list that is a text', 'table.concat("x")', 'wrong_type'],
      ['nothing to loop over', 'next(nil)', 'wrong_type'],
      ['a date that is a text', 'os.time("2030-01-01")', 'wrong_type'],
      ['nothing to insert', 'table.insert({})', 'missing_argument'],
      ['nothing to replace by', 'string.gsub("a", "b")', 'missing_argument'],
      ['nothing to turn into a number', 'tonumber()', 'missing_argument'],
    ] as const
  ).map(([name, call, code]) => ({ name, source: doing(`return {x = ${call}}`), expected: [`2 ${code}`] })),
  {
    name: 'settings without effect',
    source:
      'a = Agent {\n  system_prompt = "s",\n  max_turns = 3,\n  steering_enabled = true,\n}\nProcedure {\n  dependencies = {},\n  max_depth = 3,\n  function() return {x = a("x").output} end,\n}',
    expected: ['3 ignored_setting', '4 ignored_setting', '7 ignored_setting', '8 ignored_setting'],
  },
  {
    name: 'dependencies of which nothing here makes use',
    source:
      'Procedure {\n  dependencies = {\n    api = { type = "http_client" },\n    db = { type = "postgres" },\n    cache = { type = "redis" },\n  },\n  function() return {x = dependencies.api.get("https://a.example").status} end,\n}',
    expected: ['4 ignored_setting', '5 ignored_setting'],
  },
  {
    name: 'a misspelt option of a request, and one too few arguments',
    source:
      'Procedure {\n  function()\n    http_client.get("https://a.example", {query = {}})\n    http_client.post()\n  end,\n}',
    expected: ['3 unknown_key', '4 missing_argument'],
  },
  {
    name: 'a misspelt key of an agent',
    source: agent('sistem_prompt = "s", model = "m"'),
    expected: ['2 unknown_key'],
  },
  {
    name: 'a key that nothing reads',
    source: agent('system_prompt = "s", favourite_colour = "red"'),
    expected: ['2 unknown_key'],
  },
  {
    name: 'a misspelt key of a procedure',
    source: 'Procedure {\n  ouptut = {},\n  function() return {} end }',
    expected: ['2 unknown_key'],
  },
  {
    name: 'a misspelt key of a request',
    source: doing('Human.approve({message = "Go?", tiemout = 5})'),
    expected: ['2 unknown_key'],
  },
  {
    name: 'a misspelt key of Retry',
    source: doing('Retry.with_backoff(function() return 1 end, {max_attempt = 2})'),
    expected: ['2 unknown_key'],
  },
  {
    name: 'a misspelt key of a field',
    source:
      'Procedure {\n  input = { n = field.number{requird = true} },\n  function(input) return {n = input.n} end }',
    expected: ['2 unknown_key'],
  },
  { name: 'a prompt that is a number', source: agent('system_prompt = 5'), expected: ['2 wrong_type'] },
  {
    name: 'tools that are no list',
    source: agent('system_prompt = "s", tools = "done"'),
    expected: ['2 wrong_type'],
  },
  {
    name: 'a temperature in words',
    source: agent('system_prompt = "s", temperature = "hot"'),
    expected: ['2 wrong_type'],
  },
  {
    name: 'a temperature of 99',
    source: agent('system_prompt = "s",\ntemperature = 99'),
    expected: ['3 invalid_setting'],
  },
  {
    name: 'max_tokens below one',
    source: agent('system_prompt = "s", max_tokens = -1'),
    expected: ['2 invalid_setting'],
  },
  {
    name: 'max_tokens with a fraction',
    source: agent('system_prompt = "s", max_tokens = 1.5'),
    expected: ['2 wrong_type'],
  },
  {
    name: 'a chat in the background',
    source: agent('system_prompt = "s",\nbackground = true'),
    expected: ['3 invalid_setting'],
  },
  {
    name: 'a model in the background by another API',
    source:
      'm = Model {\n  type = "llm", model_type = "chat",\n  background = true }\nfunction main() return {x = m(1)} end',
    expected: ['3 invalid_setting'],
  },
  {
    name: 'nothing wrong with one by Responses, or with what is computed',
    source:
      'a = Agent { system_prompt = "s", model_type = "responses", background = true }\n' +
      'local api = input and "responses"\n' +
      'b = Agent { system_prompt = "s", model_type = api, background = true }\n' +
      'function main() return {x = a("hi").output, y = b("hi").output} end',
    expected: [],
  },
  {
    name: 'an option of a request without a value and a label',
    source:
      'function main() return {x = Human.select{message = "m",\n  options = {{description = "d"}, "b"}}} end',
    expected: ['2 missing_value'],
  },
  {
    name: 'an empty agent',
    source: 'a = Agent {}\nfunction main() return {x = a("hi").output} end',
    expected: ['1 missing_value'],
  },
  {
    name: 'a tool without a function',
    source: 't = Tool { description = "d" }\nfunction main() return {x = t()} end',
    expected: ['1 missing_value'],
  },
  {
    name: 'a procedure without a function',
    source: 'Procedure {\n  input = {},\n}',
    expected: ['1 missing_value'],
  },
  {
    name: 'a model without a type',
    source: 'm = Model { endpoint = "http://x" }\nfunction main() return {x = m(1)} end',
    expected: ['1 missing_value'],
  },
  {
    name: 'an unknown type of model',
    source: 'm = Model {\n  type = "htpp", endpoint = "http://x" }\nfunction main() return {x = m(1)} end',
    expected: ['2 unknown_model_type'],
  },
  {
    name: 'an http model without endpoint',
    source: 'm = Model {\n  type = "http" }\nfunction main() return {x = m(1)} end',
    expected: ['1 invalid_setting'],
  },
  {
    name: 'an endpoint that is no address',
    source: 'm = Model { type = "http",\n  endpoint = "localhost" }\nfunction main() return {x = m(1)} end',
    expected: ['2 invalid_setting'],
  },
  {
    name: 'a module without a signature',
    source: 'm = Module { strategy = "predict" }\nfunction main() return {x = m({}).y} end',
    expected: ['1 missing_value'],
  },
  {
    name: 'a signature that is none',
    source: 'm = Module {\n  signature = "question" }\nfunction main() return {x = m({}).y} end',
    expected: ['1 load_failed'],
  },
  {
    name: 'a strategy that is not there',
    source:
      'm = Module {\n  signature = "a -> b", strategy = "react" }\nfunction main() return {x = m({a = 1}).b} end',
    expected: ['1 load_failed'],
  },
  {
    name: 'keys of a module and a signature that nothing reads',
    source:
      'm = Module "m" {\n  strategi = "predict",\n  verbose = true,\n  signature = Signature {\n    instruction = "x", input = {a = "string"}, output = {b = "string"} } }\nfunction main() return {x = m({a = 1}).b} end',
    expected: ['2 unknown_key', '3 ignored_setting', '5 unknown_key'],
  },
  {
    name: 'a setting of LM that is none',
    source:
      'LM("openai/gpt-x", {\n  temprature = 1 })\nfunction main() return {x = get_current_lm().model} end',
    expected: ['2 unknown_key'],
  },
  {
    name: 'a module that nothing asks, and a member that it has not',
    source:
      'm = Module { signature = "a -> b" }\nn = Module { signature = "a -> b" }\nfunction main() return {x = n.predict({a = 1})} end',
    expected: ['1 unused_declaration', '3 unknown_member'],
  },
  {
    name: 'a request without a message',
    source: doing('return {ok = Human.approve({context = "x"})}'),
    expected: ['2 missing_value'],
  },
  {
    name: 'a request with an empty message',
    source: doing('return {ok = Human.approve("")}'),
    expected: ['2 missing_value'],
  },
  {
    name: 'a request of nothing',
    source: doing('return {ok = Human.approve()}'),
    expected: ['2 missing_argument'],
  },
  {
    name: 'a request of a number',
    source: doing('return {ok = Human.approve(42)}'),
    expected: ['2 wrong_type'],
  },
  {
    name: 'several questions with misspelt keys',
    source: doing('return Human.multiple{mesage = "Which?", itms = {{id = "a", label = "A"}}}'),
    expected: ['2 missing_value', '2 unknown_key', '2 unknown_key'],
  },
  {
    name: 'one question of several with a misspelt key',
    source: doing('return Human.multiple{{id = "a", labl = "A"}}'),
    expected: ['2 missing_value', '2 unknown_key'],
  },
  {
    name: 'a component with a misspelt key',
    source: doing('return {ok = Human.custom{mesage = "Go?", component_type = "map"}}'),
    expected: ['2 missing_value', '2 unknown_key'],
  },
  {
    name: 'looking at a child run where Lua cannot wait',
    source: doing('table.sort(input.runs, function(a, b) return Procedure.is_complete(a) end)\nreturn {}'),
    expected: ['2 effect_in_callback'],
  },
  {
    name: 'a classifier with a misspelt key',
    source: doing('return {ok = Classify{clases = {"a"}, prompt = "Which?", classes = {"a"}}}'),
    expected: ['2 unknown_key'],
  },
  {
    name: 'a default that is no boolean',
    source: doing('return {ok = Human.approve{message = "Go?",\ndefault = "no"}}'),
    expected: ['3 wrong_type'],
  },
  {
    name: 'a timeout in words',
    source: doing('return {ok = Human.approve{message = "Go?",\ntimeout = "tomorrow"}}'),
    expected: ['3 invalid_duration'],
  },
  { name: 'a negative sleep', source: doing('Sleep(-1)'), expected: ['2 invalid_duration'] },
  { name: 'a sleep in words', source: doing('Sleep("5 minutes")'), expected: ['2 invalid_duration'] },
  { name: 'a sleep of a century', source: doing('Sleep(1e12)'), expected: ['2 invalid_duration'] },
  { name: 'a sleep of nothing', source: doing('Sleep()'), expected: ['2 missing_argument'] },
  {
    name: 'a checkpoint of a value',
    source: doing('return {x = checkpoint(5)}'),
    expected: ['2 wrong_type'],
  },
  {
    name: 'a step without a name',
    source: doing('step(function() print(1) end)'),
    expected: ['2 missing_argument', '2 wrong_type'],
  },
  { name: 'Retry of no function', source: doing('Retry.with_backoff(5)'), expected: ['2 wrong_type'] },
  {
    name: 'Parallel.map the wrong way round',
    source: doing('Parallel.map(function() return 1 end, {1, 2})'),
    expected: ['2 wrong_type', '2 wrong_type'],
  },
  {
    name: 'a file with a table for a name',
    source: doing('return {x = File.read({})}'),
    expected: ['2 wrong_type'],
  },
  {
    name: 'no options to choose from',
    source: doing('return {x = Human.review{message = "Good?",\noptions = {}}}'),
    expected: ['3 wrong_options'],
  },
  {
    name: 'an option twice',
    source: doing('return {x = Human.review{message = "Good?", options = {"a",\n"a"}}}'),
    expected: ['3 wrong_options'],
  },
  {
    name: 'a default outside of the options',
    source: doing('return {x = Human.input{message = "Which?", options = {"a", "b"},\ndefault = "c"}}'),
    expected: ['3 wrong_options'],
  },
  ...(
    [
      ['a severity of none', 'escalate{message = "m",\nseverity = "high"}'],
      ['a level of none', 'notify{message = "m",\nlevel = "loud"}'],
      ['a mode of none', 'select{message = "m", options = {"a"},\nmode = "many"}'],
      ['more choices than there are', 'select{message = "m", options = {"a"}, mode = "multiple",\nmin = 2}'],
      ['a most below the least', 'select{message = "m", options = {a, b}, mode = "multiple",\nmax = 0}'],
      [
        'a default that is no list',
        'select{message = "m", mode = "multiple", options = {1, 2},\ndefault = 1}',
      ],
      ['a default that none is offered', 'select{message = "m", options = {"a"}, default =\n{"b"}}'],
      ['a quorum of nobody', 'approve{message = m,\nquorum = 0}'],
      ['a quorum of an input', 'input{message = m,\nquorum = 2}'],
      ['a quorum of more than may', 'approve{message = m, approvers = {"a", "b"},\nquorum = 3}'],
      ['on_timeout of nothing', 'approve{message = m, timeout = t,\non_timeout = "fail"}'],
      ['on_timeout without a time', 'approve{message = m,\non_timeout = "error"}'],
      ['others without a time', 'approve{message = m,\nescalate_to = "boss"}'],
      [
        'a stage without a time',
        'approve{message = m, timeout = 5,\nescalate_to = {{to = "a"}, {to = "b"}}}',
      ],
      ['separation of nobody', 'approve{message = m,\nseparation = true}'],
      ['a day that is none', 'approve{message = m,\nexpires_at = "2027-02-30"}'],
      ['reminders by the second', 'approve{message = m,\nremind_every = "5s"}'],
      ['nobody to escalate to', 'approve{message = m,\non_undelivered = "escalate"}'],
      [
        'no such thing when undelivered',
        'approve{message = m, escalate_to = "a", timeout = 9,\non_undelivered = "x"}',
      ],
      ['an address that is none', 'approve{message = m,\ncallback_url = "hooks.example.com"}'],
      ['a schema that is none', 'input{message = m,\nresponse_schema = {type = "whole"}}'],
      ['a size that is none', 'upload{message = m,\nmax_size = "big"}'],
      ['a placeholder that is too long', `input{message = m,\nplaceholder = "${'x'.repeat(501)}"}`],
      ['questions of one id', 'multiple{items =\n{{id = "a", label = "A"}, {id = "a", label = "A"}}}'],
      [
        'a question of no type',
        'multiple{items = {{id = "a", label = "A"},\n{id = "b", label = b, type = "text"}}}',
      ],
      [
        'a question in a list',
        'multiple{{id = a, label = a},\n{id = "b", label = "B", type = "select", options = {"x"}, mode = "any"}}',
      ],
      [
        'a default of a question',
        'multiple{items = {\n{id = a, label = "A", type = "approval", default = "yes"}}}',
      ],
    ] as const
  ).map(([name, call]) => ({
    name: `a request with ${name}`,
    source: `local function asks(a, b, m, t)\nHuman.${call}\nend\nfunction main() asks(1, 2, "m", 5) end`,
    expected: ['3 refused_request'],
  })),
  {
    name: 'a tool_choice of nobody',
    source: agent('system_prompt = "s", tool_choice = "sometimes"'),
    expected: ['2 invalid_setting'],
  },
  {
    name: 'a key twice',
    source: agent('system_prompt = "a",\nsystem_prompt = "b"'),
    expected: ['3 duplicate_key'],
  },
  {
    name: 'too few values to format',
    source: doing('print(string.format("%s has %d", "x"))'),
    expected: ['2 format_arguments'],
  },
  {
    name: 'a percent sign in a format',
    source: doing('print(string.format("100%!", 1))\nprint(string.format("%y", 1))'),
    expected: ['2 format_arguments', '3 format_arguments'],
  },
];
