import { describe, expect, it } from 'vitest';
import { converse, sent, toolCall } from '../../../support/converse.js';

const agent = 'a = Agent {} ';

describe('a branch has a conversation of its own', () => {
  it('which begins with what was said before the branches', () => {
    const { calls, output } = converse(
      `${agent} a("first")
       local counts = Parallel.map({"x", "y"}, function(word)
         a(word) a(word .. word)
         return #a.messages
       end)
       a("last")
       return {counts, #a.messages, #MessageHistory.get()}`,
      [],
    );
    const before = 'user: first | assistant: hello';
    expect(calls.map(sent)).toEqual([
      'user: first',
      `${before} | user: x`,
      `${before} | user: y`,
      `${before} | user: x | assistant: hello | user: xx`,
      `${before} | user: y | assistant: hello | user: yy`,
      `${before} | user: last`,
    ]);
    expect(output).toEqual([[6, 6], 4, 4]);
  });

  it('also one that starts when others have ended, and one in a branch', () => {
    const { calls } = converse(
      `${agent}
       Parallel.map({"x", "y"}, function(word)
         a(word)
         Parallel{ function() a(word .. "1") end, function() a(word .. "2") end }
         a(word .. "3")
       end, {concurrency = 1})`,
      [],
    );
    const said = (word: string, more: string): string =>
      `user: ${word} | assistant: hello | user: ${word}${more}`;
    expect(calls.map(sent)).toEqual([
      ...['user: x', said('x', '1'), said('x', '2'), said('x', '3')],
      ...['user: y', said('y', '1'), said('y', '2'), said('y', '3')],
    ]);
  });

  it('which MessageHistory changes, with its checkpoints, and nothing outside', () => {
    const { output } = converse(
      `MessageHistory.append("one") MessageHistory.checkpoint("mark") MessageHistory.append("two")
       local contents = function()
         local words = {} for i, m in ipairs(MessageHistory.get()) do words[i] = m.content end
         return table.concat(words, " ")
       end
       local inside = Parallel{
         function() MessageHistory.rewind_to("mark") MessageHistory.append("three") return contents() end,
         function() local id = MessageHistory.checkpoint("own") MessageHistory.append("four") return {id, contents()} end,
         function() return {pcall(MessageHistory.rewind_to, "own")} end,
         function() MessageHistory.clear() return MessageHistory.checkpoint() == nil end,
         function() Parallel{function() MessageHistory.append("deep") end} return contents() end,
       }
       inside[3][2] = nil
       return {inside, contents(), (pcall(MessageHistory.rewind_to, "own"))}`,
      [],
    );
    expect(output).toEqual([['one three', [2, 'one two four'], [false], true, 'one two'], 'one two', false]);
  });

  it('in which an agent forgets', () => {
    const { calls } = converse(
      `${agent} MessageHistory.append("note") a("first")
       Parallel{function() a.clear_history() a("empty") end}
       a("last")`,
      [],
    );
    expect(calls.map(sent)).toEqual([
      'user: note | user: first',
      'user: empty',
      'user: note | user: first | assistant: hello | user: last',
    ]);
  });

  it('and an output of its own: outside, that of the turn that ended last', () => {
    const { output } = converse(
      `${agent} a("first")
       local seen = Parallel.map({"x", "y", "z"}, function(word)
         if word == "z" then return a.output end
         a(word)
         Sleep(1)
         return a.output
       end)
       return {seen, a.output}`,
      [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
    );
    expect(output).toEqual([['two', 'three', 'one'], 'three']);
  });

  it('and an output outside where nothing was said before the branches', () => {
    const { output } = converse(
      `${agent} Parallel{function() a("x") end, function() a("y") end} return {a.output, #a.messages}`,
      [{ text: 'one' }, { text: 'two' }],
    );
    expect(output).toEqual(['two', 0]);
  });

  it('but tools of one turn speak in its conversation, however many are called', () => {
    const { output } = converse(
      `note = Tool { input = {}, function() MessageHistory.append("noted") return "ok" end }
       a = Agent { tools = { note } }
       a("go")
       return #MessageHistory.get()`,
      [{ toolCalls: [toolCall('note', {}, '1'), toolCall('note', {}, '2')] }],
    );
    expect(output).toBe(2 + 5);
  });

  it('since engine 3: before, all branches shared one', () => {
    const { calls } = converse(
      `${agent} Parallel.map({"x", "y"}, function(word) a(word) end, {concurrency = 1}) a("last")`,
      [],
      { engine: 2 },
    );
    expect(calls.map(sent)).toEqual([
      'user: x',
      'user: x | assistant: hello | user: y',
      'user: x | assistant: hello | user: y | assistant: hello | user: last',
    ]);
  });
});

describe('message_history.mode', () => {
  it.each([
    ['of an agent', 'a = Agent { message_history = { mode = "isolated" } }', ''],
    ['of a turn', 'a = Agent {}', ', message_history = { mode = "isolated" }'],
  ])('"isolated" %s: each turn stands for itself, and nothing is kept', (_, declared, option) => {
    const { calls, output } = converse(
      `${declared} MessageHistory.append("note")
       local one = a{ message = "one"${option} }
       a{ message = "two"${option} }
       return {#MessageHistory.get(), #a.messages, #one.messages, a.output}`,
      [],
    );
    expect(calls.map(sent)).toEqual(['user: one', 'user: two']);
    expect(output).toEqual([1, 1, 2, 'hello']);
  });

  it('"isolated" begins each turn with the initial message', () => {
    const { calls } = converse(
      'a = Agent { initial_message = "Begin", message_history = { mode = "isolated" } } a() a()',
      [],
    );
    expect(calls.map(sent)).toEqual(['user: Begin', 'user: Begin']);
  });

  it('"shared": what all agents said', () => {
    const { calls } = converse(
      'a = Agent {} b = Agent { message_history = { mode = "shared" } } a("one") b("two")',
      [],
    );
    expect(calls.map(sent)[1]).toBe('user: one | assistant: hello | user: two');
  });

  it.each([
    'a = Agent { message_history = { mode = "alone" } }',
    'a = Agent {} a{ message = "x", message_history = { mode = 5 } }',
  ])('that is neither is refused: %s', (source) => {
    expect(converse(source, []).output).toContain('message_history.mode must be "isolated" or "shared"');
  });

  it('had no effect before engine 3', () => {
    const { calls } = converse(
      'a = Agent { message_history = { mode = "isolated" } } a("one") a("two")',
      [],
      { engine: 2 },
    );
    expect(calls.map(sent)[1]).toBe('user: one | assistant: hello | user: two');
  });
});
