import { describe, expect, it } from 'vitest';
import { flowOf, graphOf, outline } from './outline.js';

describe('effects', () => {
  it.each([
    ['Human.approve("Refund " .. n .. "?")', 'Human.approve: Refund …?', 'human'],
    ['Human.input{message = string.format("%d of %s", n, m)}', 'Human.input: … of …', 'human'],
    ['Human.approve{config_key = "go"}', 'Human.approve: go', 'human'],
    ['Human.multiple{{id = "a", label = "Name"}, {id = "b"}}', 'Human.multiple: Name, b', 'human'],
    ['Human.notify("Hi")', 'Human.notify: Hi', 'human'],
    ['Sleep(n)', 'Sleep n', 'sleep'],
    ['File.write(path, "x")', 'File.write path', 'file'],
    ['require("tactus.io.json").read("x.json")', 'io.json.read x.json', 'file'],
    ['Procedure.wait(h)', 'Procedure.wait h', 'wait'],
    ['Procedure.defer{key = "later", resume_at = t}', 'Procedure.defer later', 'wait'],
    ['checkpoint()', 'checkpoint', 'checkpoint'],
    ['step("pure", function() n = 1 end)', 'step pure', 'step'],
    ['Agent.run{prompt = "x"}', 'Agent.run x', 'agent'],
    ['Host.call("host.ping", {})', 'Host.call host.ping', 'host'],
    ['http_client.get("https://a.example")', 'http_client.get https://a.example', 'http'],
    ['http_client{base_url = "https://a.example"}.post("/x")', 'http_client.post /x', 'http'],
    ['dependencies.api.delete("/x")', 'http_client.delete /x', 'http'],
  ])('%s', (call, label, kind) => {
    const { nodes } = graphOf(`Procedure { function(input)\n${call}\nend }`);
    expect(nodes[1]).toMatchObject({ label, kind, file: 'main.tac', line: 2 });
  });

  it('agents with their models, as they are when the file is loaded', () => {
    const { nodes } = graphOf(`default_provider("anthropic")
default_model("claude-sonnet-4-5")
A = Agent { system_prompt = "s" }
B = Agent { model = {name = "openai/gpt-5-mini"}, system_prompt = "s" }
local c = Agent { model = "m", system_prompt = "s" }
m = Model { type = "http", endpoint = "https://m.example" }
sort = Classify { method = "fuzzy", classes = {"x", "y"} }
function main() A("x") B.turn() c("z") m.predict("x") Model("m")("y") sort("w") Agent("A")({message = "v"}) end`);
    expect(nodes.slice(1, -1).map(({ label }) => label)).toEqual([
      'agent A · anthropic/claude-sonnet-4-5',
      'agent B · openai/gpt-5-mini',
      'agent c · m',
      'model m · http',
      'model m · http',
      'classifier sort',
      'agent A · anthropic/claude-sonnet-4-5',
    ]);
  });

  it('modules with their strategies, and agents of LM with its model', () => {
    const { nodes } = graphOf(`LM("openai/gpt-x")
qa = Module { signature = "question -> answer" }
local sum = Module "summary" { signature = "text -> summary", strategy = "chain_of_thought" }
helper = DSPyAgent { system_prompt = "s" }
function main() qa({question = "q"}) sum({text = "t"}) helper("hi") end`);
    expect(nodes.slice(1, -1).map(({ label, kind }) => `${kind}: ${label}`)).toEqual([
      'model: module qa',
      'model: module summary · chain_of_thought',
      'agent: agent helper · openai/gpt-x',
    ]);
  });

  it('steps, checkpoints, retries and branches hold what they run', () => {
    const graph = graphOf(`a = Agent { model = "m", system_prompt = "s" }
local function work() a("w") end
Procedure { function(input)
  step("research", function() a("1") return 1 end)
  checkpoint(function() return a("2") end)
  Retry.with_backoff(work, {max_attempts = 2})
  Parallel { function() a("3") end, work }
  Parallel.map(input.items, function(item) a(item) end)
  Parallel.race { work, function() a("4") end }
  Parallel.all_settled({ function() a("5") end }, { concurrency = 1 })
end }`);
    const chains = graph.nodes
      .filter(({ group }) => group !== null)
      .map(({ label, group }) => {
        const names: string[] = [];
        for (let up = graph.groups.find(({ id }) => id === group); up !== undefined;) {
          names.unshift(up.label);
          const { group: outer } = up;
          up = graph.groups.find(({ id }) => id === outer);
        }
        return `${names.join(' / ')}: ${label}`;
      });
    expect(chains).toEqual([
      'step research: agent a · m',
      'checkpoint: agent a · m',
      'Retry.with_backoff: work',
      'Parallel: Parallel',
      'Parallel / branch 1: agent a · m',
      'Parallel / branch 2: work',
      'Parallel.map: Parallel.map input.items',
      'Parallel.map / each item: agent a · m',
      'Parallel.race: Parallel.race',
      'Parallel.race / branch 1: work',
      'Parallel.race / branch 2: agent a · m',
      'Parallel.all_settled: Parallel.all_settled',
      'Parallel.all_settled / branch 1: agent a · m',
      'function work: work',
      'function work: agent a · m',
      'function work: end',
    ]);
    expect(outline(graph)).toContain('work ~call calls~> work');
    expect(outline(graph).filter((edge) => edge.includes('error'))).toEqual(['branch 1 ~error~> end']);
  });

  it('steps lead to what stands in for them', () => {
    const graph = graphOf(`a = Agent { model = "m", system_prompt = "s" }
Procedure { function(input)
  step("one", function() a("1") end, { retries = 2, on_error = function() Human.approve("Go on?") end })
  step("two", function() a("2") end, { on_error = false })
  step("three", function() return 3 end, { on_error = function() a("3") end })
end }`);
    expect(outline(graph)).toEqual([
      'main -> agent a · m',
      'step one ~error~> Human.approve: Go on?',
      'agent a · m -> agent a · m',
      'Human.approve: Go on? -> agent a · m',
      'agent a · m -> step three',
      'step two ~error~> step three',
      'step three ~error~> agent a · m',
      'step three -> end',
      'agent a · m -> end',
    ]);
  });

  it('what a provider runs, by its own name', () => {
    const graph = graphOf(`search = Tool { provider = "openai.web_search" }
reader = Agent { model = "m", tools = { search, { provider = "xai.x_search" } } }
Procedure { function() return reader("tea?").text end }`);
    expect(outline(graph).filter((edge) => edge.includes('may call'))).toEqual([
      'agent reader · m ~tools may call~> tool search · openai.web_search',
      'agent reader · m ~tools may call~> tool xai.x_search',
    ]);
  });

  it('what agents may call', () => {
    const graph = graphOf(`find = Tool { description = "d", function(args) return Human.approve("Ok?") end }
local done = require("tactus.tools.done")
Toolset "desk" { tools = { {name = "hours", description = "d", handler = function() return 1 end}, "find" } }
clerk = Agent { model = "m", system_prompt = "s", tools = { find, done, {name = "desk", include = {"hours"}} },
  inline_tools = { {name = "own", description = "d", handler = function() return 1 end} } }
function main() clerk("x") end`);
    expect(outline(graph).filter((edge) => /tools|runs|call/.test(edge))).toEqual([
      'agent clerk · m ~tools may call~> tool find',
      'agent clerk · m ~tools may call~> tool done',
      'toolset desk · only hours ~tools holds~> tool hours',
      'toolset desk · only hours ~tools holds~> tool find',
      'agent clerk · m ~tools may call~> toolset desk · only hours',
      'agent clerk · m ~tools may call~> tool own',
      'agent clerk · m ~call~> agent clerk · m',
      'tool find ~call runs~> find',
    ]);
  });
});

describe('other functions and files', () => {
  it('a procedure that calls itself is linked, not drawn again', () => {
    const edges = outline(
      graphOf(
        'helper = Procedure { function(args) return helper({}) end }\nmain = Procedure { function() helper({}) end }',
      ),
    );
    expect(edges).toEqual([
      'main -> procedure helper',
      'procedure helper -> end',
      'helper -> procedure helper',
      'procedure helper -> return helper({})',
      'procedure helper ~call calls~> helper',
      'procedure helper ~call calls~> helper',
    ]);
  });

  it('functions that call each other before one of them has an effect', () => {
    const edges = flowOf(
      'local b\nlocal function c(n) if n then return b(n) end end\nb = function(n) c(n - 1) a("x") end\nc(3)',
    );
    expect(edges[0]).toBe('main -> c');
    expect(edges).toContain('c ~call calls~> c');
    expect(edges).toContain('b ~call calls~> b');
  });

  it('modules, methods and functions in tables', () => {
    const module =
      'local M = {}\nlocal w = Agent { model = "m", system_prompt = "s" }\nfunction M.deep(n) return w(n) end\nreturn M';
    const edges = flowOf(
      'local mod = require("lib.mod")\nmod.deep(1)\nlocal C = {}\nC.__index = C\nfunction C:go() a("x") end\nsetmetatable({}, C):go()\nlocal o = setmetatable({}, C)\no:go()\nlocal on = { ready = function() Sleep(1) end }',
      { 'lib/mod.tac': module },
    );
    expect(edges).toContain('mod.deep ~call calls~> M.deep');
    expect(edges).toContain('o:go ~call calls~> C:go');
    // Nothing is seen to call it, and yet it does something.
    expect(edges).toContain('ready -> Sleep 1');
  });

  it('files that run as procedures of their own, each once', () => {
    const { nodes, groups, edges } = graphOf(
      'Procedure { function() Procedure.run("sub") Procedure.spawn("sub.tac") end }',
      {
        'sub.tac': 'Procedure { function() Procedure.run("main.tac") Sleep(1) end }',
      },
    );
    expect(groups.map(({ label }) => label)).toEqual(['procedure sub.tac']);
    const labels = new Map(nodes.map(({ id, label }) => [id, label]));
    expect(
      edges.filter(({ kind }) => kind === 'call').map(({ from, to }) => [labels.get(from), labels.get(to)]),
    ).toEqual([
      ['Procedure.run sub', 'sub'],
      ['Procedure.spawn sub.tac', 'sub'],
      ['Procedure.run main.tac', 'main'],
    ]);
  });

  it('a procedure that nobody calls, beside the main one', () => {
    const { groups } = graphOf(
      'Procedure "second" { function() Sleep(2) end }\nProcedure { function() Sleep(1) end }',
    );
    expect(groups.map(({ label }) => label)).toEqual(['procedure second']);
  });

  it('names that a file gives to something else are nothing of ours', () => {
    expect(
      flowOf(
        'local Sleep = function() end\nlocal Human = {approve = function() end}\nSleep(1)\nHuman.approve("x")',
      ),
    ).toEqual(['main -> end']);
  });
});
