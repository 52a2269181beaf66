import { globSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { validateWithTests } from '../../../src/testing/specifications/validate-with-tests.js';
import { validateSource } from '../../../src/validation/index.js';
import { doing } from './faults/fault.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Cases of the conformance tests that do something wrong on purpose, with what is said of them. */
const onPurpose: Record<string, string[]> = {
  'q07-output-coercion.tac': ['4 output_incomplete'],
  'q15-state.tac': ['8 wrong_state_type'],
};

describe('no error is found in', () => {
  const examples = globSync(`${root}{examples,templates}/**/*.tac`);
  it.each(examples.map((file) => relative(root, file)))('%s', async (file) => {
    const { diagnostics } = await validateWithTests(root + file);
    // What runs in the tests needs no advice either, but for what a build doesn't have yet.
    expect(diagnostics.filter(({ code }) => code !== 'missing_from_build')).toEqual([]);
  });

  const cases = globSync(`${root}test/{conformance/cases,fault/procedures}/*.tac`);
  it.each(cases.map((file) => relative(root, file)))('%s', async (file) => {
    const { diagnostics } = await validateWithTests(root + file);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ line, code }) => `${line} ${code}`)).toEqual(onPurpose[basename(file)] ?? []);
  });
});

/** Ways to write things that look like mistakes and are none. */
const fine: Record<string, string> = {
  'requests of which a part is computed': `
local function ask(n, who, options, extra)
  Human.select { message = "m", options = options, mode = "multiple", min = 150, default = { "a" } }
  Human.select { message = "m", options = { "a", n }, default = "c" }
  Human.select { message = "m", options = { "a" }, mode = n, default = "a" }
  Human.approve { message = n, approvers = who, quorum = 5, escalate_to = { { to = who, timeout = n }, { to = "b" } }, timeout = n }
  Human.approve { message = "m", approvers = { "a", "group:finance" }, quorum = 5 }
  Human.approve { message = "m", approvers = { "a" }, quorum = n, on_timeout = "error", expires_at = n }
  Human.escalate { message = "m", severity = n, context = { severity = "high" } }
  Human.multiple { items = { { id = n, label = n }, { id = n, label = "b", type = n, default = "x" }, extra } }
  Human.multiple { { id = "a", label = "A", type = "select", options = options, default = "z" }, extra() }
  Human.multiple { items = { { id = "tags", label = "T", type = "select", metadata = { mode = "multiple" }, options = { "a" }, default = { "a" } } } }
  Human.input { message = "m", default = "", required = true }
  Human.upload { message = "m", max_size = "1.5GB", accept = ".pdf", multiple = n }
  Human.custom { component_type = n, message = "m", default = 3 }
  Hitl("key", { message = "m", timeout = 5 })
  Human.approve { config_key = "key", on_timeout = "error", escalate_to = "b" }
end
Procedure { function() ask(1, "a", {}, function() end) return {} end }`,
  'the dialect of the design document': `
Worker = agent "worker" { model = "claude-sonnet-4-5", system_prompt = function() return "n" .. math.random(9) end }
main = procedure("main", {
  input = { topic = {type = "string", required = true, enum = {"a", "b"}} },
  output = { value = {type = "number"} },
  state = { phase = {type = "string", default = "new"} },
}, function()
  step("research", function()
    state.phase = "researching"
    Worker({message = input.topic})
  end)
  return { value = #Worker.output }
end)`,
  'agents that the old dialect makes global': `
agent("prefixed_agent", { provider = "openai", system_prompt = "s" })
main = procedure("main", function()
  return { x = Prefixed_agent.turn().text }
end)`,
  'options of requests as the reference takes them': `
function main()
  local a = Human.review { message = "Fine?", options = {
    { label = "Approve", type = "approve" }, { label = "Reject", type = "cancel", description = "d" } } }
  local b = Human.select { message = "Which?", options = { { label = "A" }, { label = 2 }, { value = 3 }, "d" } }
  local c = Human.multiple { { id = "r", label = "R", type = "review", message = "?",
    options = { { label = "Go", type = "action" } } } }
  return { a = a.decision, b = b, c = c.r }
end`,
  'a time of texts': `
function main()
  local year, month, day = ("2026-01-02"):match("(%d+)-(%d+)-(%d+)")
  return { a = os.time { year = year, month = month, day = day }, b = os.time { year = "2026", month = "1", day = 2 } }
end`,
  'several tasks, of which a run names one': `
    local function nothing() end
    Task "build" { entry = nothing, docs = { entry = nothing } }
    Task "test" { depends_on = { "build", "build:docs" }, entry = nothing }`,
  'functions named as a tool and a model are': `
local t = Tool { name = "greet", input = { who = field.string{required = true} }, function(args) return args.who end }
local m = Model { name = "mood", type = "mock", value = 1, input = { text = "string" } }
function greet(who) return "Hello, " .. who end
function Mood(n) return n end
function main()
  return { a = greet("you"), b = Mood(5), c = t({ who = "me" }), d = m({ text = "fine" }) }
end`,
  'a model whose field is declared elsewhere, and may have a default': `
local text = { default = "" }
guess = Model { type = "mock", value = 1, input = { text = field.string(text), more = text } }
function main() return { a = guess({}) } end`,
  'a mock of the only agent, which has no name': `
local writer = Agent { system_prompt = "s" }
function main() return { text = writer("Hello").output } end
Mocks { scribe = { message = "Hi." } }`,
  "functions added to Lua's libraries": `
function string.trim(s) return (s:gsub("^%s+", "")) end
table.map = function(t, f) for i, v in ipairs(t) do t[i] = f(v) end return t end
function main()
  return { a = table.map({ " x" }, string.trim), b = (" y"):trim() }
end`,
  constants: `
local limit <const>, text = 3, "local x <const> = 1" -- local y <const>
local <const> a, b = {}, 2
function main()
  local const, n = 5, 1
  n = n + limit
  a.n = n
  for limit = 1, b do print(limit, n <const, const> n, text) end
  return { n = a.n }
end`,
  'a script': `
input { name = field.string{default = "you"} }
output { greeting = field.string{required = true} }
local greeting = "Hello, " .. input.name
return { greeting = greeting }`,
  'named declarations and their use': `
Agent "writer" { system_prompt = "About {input.topic} and {state.kind}", tools = {"done", "count"} }
count = Tool { description = "d", input = { text = "string" }, function(args) return #args.text end }
helper = Procedure { input = { n = field.number{} }, function(args) return { n = args.n } end }
Procedure "second" { function(_) return {} end }
Procedure {
  input = { topic = field.string{required = true} },
  function(input)
    state.kind = "news"
    local answer = Agent("writer")({message = input.topic, tools = {count}})
    return { a = answer.output, n = helper({n = 1}).n, c = Tool("count")({text = "x"}), s = Procedure("second")({}), t = Tool.called("done") }
  end
}`,
  'modules, of one name in two functions, and agents of LM': `
LM "openai/gpt-x" { temperature = 0, api_key = "x" }
local function first() local qa = Module "qa" { signature = "question -> answer" } return qa({ question = "q" }).answer end
local function second()
  local qa = Module("qa", { signature = Signature("question -> answer"), strategy = "chain_of_thought" })
  return qa({ question = "q", history = History({ { role = "user", content = "hi" } }) }).reasoning
end
helper = DSPyAgent { system_prompt = "s" }
function main() return { a = first(), b = second(), c = helper("hi").output } end`,
  'models, by name and by variable': `
Model "sentiment" { type = "http", endpoint = "https://models.example/sentiment", input = { text = "string" } }
guess = Model { type = "mock", value = 1 }
function main()
  return { a = Model("sentiment")({text = "x"}).output, b = guess.predict("x").output }
end`,
  'checkpoints that record what is chance': doing(`
  local now = checkpoint(function() return os.time() end)
  local function roll() return math.random(6) end
  state.x = Step.checkpoint(function() return math.random() end)
  state.y = os.time()
  checkpoint()
  return { now = now, x = state.x, y = state.y, roll = checkpoint(roll), then_ = os.time({year = 2030, month = 1, day = 1}) }`),
  'globals of functions, and tables in them': `
config = { limit = 3 }
local function check(n) last_checked = n return n < config.limit end
function main()
  for _, n in ipairs({1, 2}) do
    if not check(n) then goto continue end
    print(n, last_checked)
    ::continue::
  end
  while true do if Human.approve("Stop?") then break end end
  return {}
end`,
  'metatables, coroutines and variadic functions': `
local Account = {}
Account.__index = Account
function Account.new(...) return setmetatable({ items = table.pack(...) }, Account) end
function Account:size() return self.items.n end
function main()
  local next_item = coroutine.wrap(function() coroutine.yield(1) end)
  return { n = Account.new(1, 2):size(), i = next_item(), s = ("%d"):format(1), t = string.format("%5.2f%%", 1) }
end`,
  'names set through the table of globals': `
_G.answer = 42
setmetatable(_G, { __index = function(_, name) return name end })
function main() return { a = answer, b = anything } end`,
  'what pcall is there for': doing(`
  local ok, message = pcall(function() error({code = 1}) end)
  return { ok = ok, message = message }`),
  'outputs that are returned in other ways': `
local function result() return { a = "x" } end
Procedure "fails" { output = { a = field.string{required = true} }, function() error("not yet") end }
Procedure "scalar" { output = field.string{required = true}, function() return "x" end }
Procedure { output = { a = field.string{required = true}, b = field.string{} }, function(input)
  local out = {}
  out.a = "x"
  if input.x then return out end
  return result()
end }`,
  'calls with less than is declared, or by other ways': `
t = Tool { input = { n = field.number{required = true}, k = "string" }, function(args) return args.n end }
p = Procedure { input = { n = field.number{default = 1}, k = "string" }, function(input) return input.n end }
Procedure { function()
  local given = { n = 1 }
  local either = t
  either = p
  return { a = t(given), b = p(), c = p({}), d = t({ n = tonumber("1"), more = 1 }), e = either({}), f = p(nil) }
end }
Mocks { t = { returns = 1 }, p = { returns = 2 }, http_client = { returns = 3 } }`,
  'arguments that Lua turns into what it needs': doing(`
  local t = { math.floor("3"), string.rep(5, "2"), os.date("%Y", 0), math.max("1", 2), ("x"):rep(2) }
  return { t = checkpoint(function() return table.concat(t, 1) end), n = select("#", nil) }`),
  'a request with all that it can have': doing(`
  return { ok = Human.approve({message = "Go?", context = {a = 1}, timeout = "24h", default = false, approvers = {"a"}}),
    name = Human.input({prompt = "Name?", options = {"a", "b"}, default = "a"}),
    again = Retry.with_backoff(function() return 1 end, {max_attempts = 3, initial_delay = 0.5}),
    all = Parallel.map({1, 2}, function(n) return n end, {concurrency = 1}) }`),
};

describe('no more than a warning is', () => {
  it.each([
    ['require("tactus.biblicus")', 'missing_from_build'],
    [
      `Procedure { output = { a = field.string{required = true} },
      function(input) if input.x then return {} end return {a = "1"} end }`,
      'output_incomplete',
    ],
  ])('%s', (source, code) => {
    const files = { 'main.tac': `${source}\nfunction main() return {} end` };
    const { diagnostics } = validateSource({ entry: 'main.tac', files });
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toMatchObject([
      { code, severity: 'warning' },
    ]);
  });
});

describe('nothing is said of', () => {
  it.each(Object.entries(fine))('%s', (_name, source) => {
    const { diagnostics } = validateSource({ entry: 'main.tac', files: { 'main.tac': source } });
    expect(diagnostics).toEqual([]);
  });
});
