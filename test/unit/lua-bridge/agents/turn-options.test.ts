import { describe, expect, it } from 'vitest';
import { converse, sent, toolCall } from '../../../support/converse.js';
import { runFake } from '../../../support/fake-host.js';

const faultOf = (source: string): unknown => {
  const { ended } = runFake(source);
  return ended?.kind === 'failed' ? [ended.error.code, ended.error.message] : ended;
};

describe('an output that is a single value', () => {
  const ask = 'a = Agent { output = field.integer { description = "Stars" } } return a("x").output';

  it('is what the model is held to', () => {
    const { calls, output } = converse(ask, [{ text: '4' }]);
    expect(calls[0]?.outputSchema).toEqual({ type: 'integer', description: 'Stars' });
    expect(output).toBe(4);
  });

  it('is mended', () => {
    const { calls, output } = converse(ask, [{ text: '"four"' }, { text: '4' }]);
    expect(sent(calls[1])).toContain('Field value must be an integer, got the string "four"');
    expect(output).toBe(4);
  });

  it('was none in runs that began before', () => {
    expect(converse(ask, [{ text: '4' }], { engine: 6 }).calls[0]?.outputSchema).toBeNull();
  });
});

describe('tool_choice', () => {
  const agent = (choice: string): string => `
    look = Tool { function() return "seen" end }
    eyes = Toolset "eyes" { tools = { look }, prefix = "my_" }
    a = Agent { tools = { eyes }, tool_choice = ${choice} } `;
  const choices = (source: string, engine?: number): unknown[] =>
    converse(
      `${source} a("x")`,
      [{ toolCalls: [toolCall('my_look')] }, { text: 'ok' }],
      engine === undefined ? {} : { engine },
    ).calls.map(({ settings }) => settings.toolChoice);

  it.each([
    '{ name = "my_look" }',
    '{ name = "look" }',
    '{ type = "function", ["function"] = { name = "look" } }',
  ])('names a tool (%s), which the model must call first', (choice) => {
    expect(choices(agent(choice))).toEqual([{ tool: 'my_look' }, undefined]);
  });

  it('of a word holds for the whole turn, and of one call goes before', () => {
    expect(choices(agent('"required"'))).toEqual(['required', 'required']);
    const { calls } = converse(`${agent('"none"')} a { message = "x", tool_choice = { name = "look" } }`, []);
    expect(calls[0]?.settings.toolChoice).toEqual({ tool: 'my_look' });
  });

  it('names none that is not there', () => {
    expect(faultOf(`${agent('{ name = "hear" }')} a("x")`)).toEqual([
      'tool_failed',
      expect.stringContaining('a: tool_choice: there is no tool hear; there are: my_look'),
    ]);
    expect(faultOf('Agent { tool_choice = { type = "tool" } }')).toEqual([
      'source_invalid',
      expect.stringContaining('tool_choice must be "auto", "required", "none" or a tool such as'),
    ]);
  });

  it('named none in runs that began before', () => {
    expect(choices(agent('{ name = "look" }'), 6)).toEqual([undefined, undefined]);
  });
});

describe('stop_at_tools', () => {
  const agent = (names: string): string => `
    draft = Tool { function(args) if args.bad then error("no good") end return { draft = args.n } end }
    submit = Tool { function(args) return "submitted" end }
    note = Tool { function() return "noted" end }
    a = Agent { tools = { draft, submit, note }, stop_at_tools = ${names} }
    local said = a("x")
    return { said.output, #a.history }`;

  it('ends the turn with what the tool gave', () => {
    const { calls, output } = converse(agent('"draft"'), [{ toolCalls: [toolCall('draft', { n: 2 })] }]);
    expect(output).toEqual([{ draft: 2 }, 3]);
    expect(calls).toHaveLength(1);
  });

  it('waits for all that was called beside it, and takes the first of several', () => {
    const { output } = converse(agent('{ "submit", "draft" }'), [
      { toolCalls: [toolCall('note'), toolCall('draft', { n: 1 }), toolCall('submit')] },
    ]);
    expect(output).toEqual([{ draft: 1 }, 5]);
  });

  it('goes on where the tool has failed, and after others', () => {
    const { calls, output } = converse(agent('"draft"'), [
      { toolCalls: [toolCall('note')] },
      { toolCalls: [toolCall('draft', { bad: true })] },
      { text: 'I give up' },
    ]);
    expect(output).toEqual(['I give up', 6]);
    expect(calls).toHaveLength(3);
  });

  it('names no tool that the agent has not, but what one call leaves out', () => {
    expect(converse(agent('"draught"'), []).output).toContain(
      'a: stop_at_tools: there is no tool draught; there are: draft, submit, note',
    );
    const { output } = converse(
      agent('"draft"').replace('a("x")', 'a { message = "x", tools = { note } }'),
      [],
    );
    expect(output).toEqual(['hello', 2]);
  });

  it('must be names, and had no effect in runs that began before', () => {
    expect(faultOf('Agent { stop_at_tools = { 1 } }')).toEqual([
      'source_invalid',
      expect.stringContaining('stop_at_tools must be names of tools, got [1]'),
    ]);
    const { calls } = converse(agent('"draft"'), [{ toolCalls: [toolCall('draft', { n: 2 })] }], {
      engine: 6,
    });
    expect(calls).toHaveLength(2);
  });
});

describe('total_seconds of retry', () => {
  const retry = 'retry = { total_seconds = "6h" }';

  it.each([
    ['an agent', `a = Agent { ${retry} } a("x")`],
    ['a model', `m = Model { type = "llm", ${retry} } m("x")`],
  ])('is how long a call of %s is tried', (_, source) => {
    const { calls } = converse(source, [{ text: 'ok' }]);
    expect(calls[0]?.settings.retry).toEqual({ timeMs: 21_600_000 });
  });

  it('is unknown to requests, and to runs that began before', () => {
    expect(faultOf(`http_client { ${retry} }`)).toEqual([
      'http_failed',
      expect.stringContaining('unknown field total_seconds'),
    ]);
    expect(converse(`Agent { ${retry} }`, [], { engine: 6 }).output).toContain('unknown field total_seconds');
  });
});

it('a tool of an MCP server has a name that providers take, whatever the server calls it', () => {
  const source =
    'a = Agent { tools = { mcp.files["read.all"] } } return { mcp.files["read.all"].name, mcp.files.a_b.name }';
  expect(converse(source, []).output).toEqual(['files_read_all', 'files_a_b']);
  expect(converse(source, [], { engine: 6 }).output).toEqual(['files_read.all', 'files_a_b']);
});
