import { describe, expect, it } from 'vitest';
import { converse, toolCall } from '../../../support/converse.js';
import { outputOf } from '../../../support/fake-host.js';

const declared = `
  one = Tool {description = "1", function() return 1 end}
  Toolset "math" {tools = {
    {name = "add", description = "adds", input = {a = field.number{required = true}}, handler = function(args) return args.a + 1 end},
    {name = "negate", function(args) return -args.a end},
    "one",
  }}
`;

/** Names of the tools that an agent with this list shows to the model. */
function shown(list: string, before = declared): string {
  const { calls, ended } = converse(`${before}\nworker = Agent {tools = ${list}}\nworker("x")`, []);
  if (ended?.kind === 'failed' && ended.error.code !== 'no_procedure') return ended.error.message;
  return (calls[0]?.tools ?? []).map(({ name }) => name).join();
}

describe('the tools of an agent', () => {
  it('is found by the name that it has in its toolset, where that is one alone', () => {
    const answers = [{ toolCalls: [toolCall('add', { a: 4 })] }, {}];
    const source = `${declared}\nworker = Agent {tools = {"math"}}\nworker("x")`;
    expect(converse(source, answers).calls[1]?.messages.at(-1)?.content).toBe('5');
    const two = `${source.replace('worker =', 'Toolset "other" {tools = {{name = "add", function() return 1 end}}}\nworker =').replace('{"math"}', '{"math", "other"}')}`;
    expect(converse(two, answers).calls[1]?.messages.at(-1)?.content).toContain('there is no tool add');
  });

  it('is none whose name only ends alike', () => {
    const source =
      'force_delete = Tool {input = {}, function() return "gone" end}\nworker = Agent {tools = {force_delete}}\nworker("x")';
    const { calls } = converse(source, [{ toolCalls: [toolCall('delete')] }, {}]);
    expect(calls[1]?.messages.at(-1)?.content).toContain('there is no tool delete');
  });

  it.each([
    ['{"math"}', 'math_add,math_negate,one'],
    ['{Toolset.get("math")}', 'math_add,math_negate,one'],
    ['{one, "math", "one"}', 'one,math_add,math_negate'],
    ['{{name = "math", include = {"add"}}}', 'math_add'],
    ['{{name = "math", include = {"math_add", "one"}}}', 'math_add,one'],
    ['{{name = "math", exclude = {"one", "negate"}}}', 'math_add'],
    ['{{name = "math", prefix = "calc_"}}', 'calc_math_add,calc_math_negate,calc_one'],
    ['{{name = "math", rename = {add = "plus"}}}', 'plus,math_negate,one'],
    ['{{name = "one", rename = {one = "uno"}}}', 'uno'],
    ['{{Toolset.get("math"), include = {"one"}}}', 'one'],
    [
      '{{name = "math", include = {"nobody"}}}',
      "include names 'nobody', which isn't among math_add, math_negate, one",
    ],
    ['{Toolset.combine(Toolset.get("math"), one)}', 'math_add,math_negate,one'],
    [
      '{Toolset.filter(Toolset.get("math"), function(name) return name:match("^math_") end)}',
      'math_add,math_negate',
    ],
    ['{"done"}', 'done'],
    ['{"log", "done"}', 'log,done'],
    ['{"nobody"}', "unknown tool 'nobody': nobody has it"],
    ['{"constructor"}', "unknown tool 'constructor': nobody has it"],
    ['{"host.other"}', 'other'],
    ['{"host.other", {name = "math", include = {"add"}}, "host.other"}', 'other,math_add'],
    ['{{name = "mcp.files.read.all", prefix = "p_"}}', 'p_files_read_all'],
  ])('%s', (list, expected) => expect(shown(list)).toBe(expected));

  it.each([
    ['Toolset "both" {type = "combined", sources = {"math", "one"}}', 'math_add,math_negate,one'],
    ['Toolset "both" {type = "filtered", source = "math", include = {"add"}}', 'math_add'],
    ['Toolset "both" {tools = {"math"}, prefix = "p_"}', 'p_math_add,p_math_negate,p_one'],
    ['toolset("both", {type = "lua", tools = {{name = "x", handler = function() end}}})', 'both_x'],
    ['both = Toolset {tools = {{name = "x", handler = function() end}}}', 'both_x'],
    ['Toolset "both" {tools = {"both"}}', "the toolset 'both' contains itself"],
  ])('of %s', (toolset, expected) => expect(shown('{"both"}', declared + toolset)).toBe(expected));

  it('are of its own where it declares them inline, named after it', () => {
    const inline =
      'inline_tools = {{name = "shout", description = "s", handler = function(args) return args.t:upper() end}}';
    const { calls, output } = converse(
      `writer = Agent {${inline}, tools = {"done"}}\nlocal r = writer("x") return {Tool.last_result("writer_shout"), Tool.last_result("shout"), r.output}`,
      [{ toolCalls: [toolCall('writer_shout', { t: 'hi' })] }, { text: 'said' }],
    );
    expect(calls[0]?.tools.map(({ name }) => name)).toEqual(['done', 'writer_shout']);
    expect(output).toEqual(['HI', 'HI', 'said']);
  });

  it('may come up again under other names, and are counted as one', () => {
    const { output } = converse(
      `${declared}\nworker = Agent {tools = {{name = "math", prefix = "p_"}}}\nworker("x") return {Tool.called("math_add"), Tool.called("add"), Tool.last_call("add").args.a}`,
      [{ toolCalls: [toolCall('p_math_add', { a: 4 })] }],
    );
    expect(output).toEqual([true, true, 4]);
  });

  it('are called as often as it says', () => {
    const again = Array.from({ length: 9 }, () => ({ toolCalls: [toolCall('one')] }));
    const source = `${declared}\nworker = Agent {tools = {one}, max_tool_followup_rounds = 2}\nworker("x")`;
    expect(converse(source, again).output).toBe('worker still calls tools after 3 rounds of one turn');
  });
});

describe('a toolset of a file', () => {
  const files = {
    'helpers/math.tac':
      'double = Tool {description = "d", function(args) return args.n * 2 end} return {triple = Tool {description = "t", function(args) return args.n * 3 end}}',
    'helpers/one.tac': 'return Tool {name = "single", description = "s", function() return 1 end}',
    'broken.tac': 'return +',
  };
  const names = (use: string): string => {
    const { calls, output } = converse(
      `Toolset "math" {use = "${use}"}\nworker = Agent {tools = {"math"}}\nworker("x") return "fine"`,
      [],
      { files },
    );
    return output === 'fine'
      ? (calls[0]?.tools ?? []).map(({ name }) => name).join()
      : JSON.stringify(output);
  };

  it.each([
    ['./helpers/math.tac', 'double,triple'],
    ['helpers/one.tac', 'single'],
    ['./missing.tac', 'missing.tac is not among the files of the procedure'],
    ['./broken.tac', "broken.tac:1: unexpected symbol near '+'"],
  ])('%s', (use, expected) => expect(names(use)).toContain(expected));
});

describe('a tool that lives elsewhere', () => {
  it.each([
    ['plugin.mod.fn', 'tools of Python plugins'],
    ['mcp.files.read', 'tools of MCP servers'],
    ['cli.git', 'tools of the command line'],
    ['constructor', 'tools of this kind'],
  ])('%s is declared, and fails where it is called, for runs of before', (use, what) =>
    expect(outputOf(`t = Tool {use = "${use}"} return {pcall(t, {})}`, { engine: 3 })).toEqual([
      false,
      `use = "${use}": ${what} can't be called yet; write the tool as function(args) … end`,
    ]),
  );

  it('may be one of the host', () =>
    expect(outputOf('t = Tool {use = "broker.host.echo"} return t({a = 1})')).toEqual({ echo: { a: 1 } }));

  it('has no function beside it', () =>
    expect(() => outputOf('Tool {use = "cli.git", function() end}')).toThrow('it can only have one'));

  it('may be asked for though nobody declares it', () =>
    expect(
      outputOf(
        'return {Tool.called("nobody"), Tool.call_count("nobody"), Tool.last_call("nobody") == nil, Tool.reset("nobody") == nil}',
      ),
    ).toEqual([false, 0, true, true]));

  it('Tool.reset() forgets the calls of all', () =>
    expect(
      outputOf(
        'a = Tool {function() end} b = Tool {function() end} a() b() Tool.reset("a") local first = b.called() Tool.reset() return {a.called(), first, b.called()}',
      ),
    ).toEqual([false, true, false]));
});
