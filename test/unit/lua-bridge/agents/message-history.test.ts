import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { converse, sent, toolCall } from '../../../support/converse.js';
import { outputOf } from '../../../support/fake-host.js';

const five =
  'for _, m in ipairs{{"system", "s"}, {"user", "u1"}, {"assistant", "a1"}, {"system", "t"}, {"user", "u2"}} do MessageHistory.append({role = m[1], content = m[2]}) end ';
const contents =
  'local function contents(list) local words = {} for i, m in ipairs(list) do words[i] = m.content end return table.concat(words, " ") end ';

describe('MessageHistory', () => {
  it.each<[string, JsonValue]>([
    ['return contents(MessageHistory.get())', 's u1 a1 t u2'],
    ['return contents(MessageHistory.head(2))', 's u1'],
    ['return contents(MessageHistory.tail(2))', 't u2'],
    ['return {#MessageHistory.head(0), #MessageHistory.tail(0), #MessageHistory.tail(99)}', [0, 0, 5]],
    ['return contents(MessageHistory.slice{start = 2, stop = 3})', 'u1 a1'],
    ['return contents(MessageHistory.slice{start = 4})', 't u2'],
    ['return contents(MessageHistory.tail_tokens(1))', 't u2'],
    ['MessageHistory.keep_head(2) return contents(MessageHistory.get())', 's u1'],
    ['MessageHistory.keep_tail(2) return contents(MessageHistory.get())', 't u2'],
    ['MessageHistory.keep_tail_tokens(1) return contents(MessageHistory.get())', 't u2'],
    ['MessageHistory.clear() return #MessageHistory.get()', 0],
    ['MessageHistory.reset() return contents(MessageHistory.get())', 's'],
    ['MessageHistory.reset{keep = "system_all"} return contents(MessageHistory.get())', 's t'],
    ['MessageHistory.reset{keep = "none"} return #MessageHistory.get()', 0],
    ['MessageHistory.rewind(2) return contents(MessageHistory.get())', 's u1 a1'],
    ['MessageHistory.rewind(99) return #MessageHistory.get()', 0],
    ['MessageHistory.rewind_to(2) return contents(MessageHistory.get())', 's u1'],
    [
      'local id = MessageHistory.checkpoint("here") MessageHistory.append{role = "user", content = "x"} MessageHistory.rewind_to("here") return {id, contents(MessageHistory.get())}',
      [5, 's u1 a1 t u2'],
    ],
    [
      'MessageHistory.replace({{role = "user", content = "new"}, MessageHistory.head(1)[1]}) local got = MessageHistory.get() return {got[1].content, got[2].id}',
      ['new', 1],
    ],
    [
      'MessageHistory.inject_system("rule") return MessageHistory.tail(1)[1]',
      { id: 6, created_at: '2026-01-02T03:04:05.000Z', role: 'system', content: 'rule' },
    ],
    ['MessageHistory.append("plain") return MessageHistory.tail(1)[1].role', 'user'],
  ])('%s', (body, expected) => expect(outputOf(contents + five + body)).toEqual(expected));

  it.each([
    ['append{role = "king", content = "x"}', "a message's role must be user, system or assistant"],
    ['append(5)', 'a message must be a table'],
    ['inject_system()', 'text expected'],
    ['rewind_to("nowhere")', 'there is no message or checkpoint "nowhere"'],
    ['replace("x")', 'a list of messages expected'],
    ['head("x")', 'a number expected'],
  ])('.%s is an error', (call, message) => expect(() => outputOf(`MessageHistory.${call}`)).toThrow(message));

  it('is what the agents see and say', () => {
    const { calls, output } = converse(
      `a = Agent {} b = Agent {}
       MessageHistory.inject_system("rules") MessageHistory.append{role = "user", content = "question"}
       a() b("other") a("more")
       return {#MessageHistory.get(), #a.history, #b.history}`,
      [],
    );
    expect(calls.map(sent)).toEqual([
      'system: rules | user: question',
      'system: rules | user: question | user: other',
      'system: rules | user: question | assistant: hello | user: more',
    ]);
    expect(output).toEqual([7, 5, 4]);
  });

  it('takes away from all agents what it takes away', () => {
    const { calls } = converse(
      'a = Agent {} b = Agent {} a("one") b("two") MessageHistory.keep_tail(1) a("three") b("four") MessageHistory.clear() a("five")',
      [],
    );
    expect(calls.slice(2).map(sent)).toEqual(['user: three', 'assistant: hello | user: four', 'user: five']);
  });

  it('is forgotten by one agent, and not by others', () => {
    const { calls, output } = converse(
      'a = Agent {} b = Agent {} MessageHistory.append("for all") a("one") a.clear_history() a("two") b("three") return #MessageHistory.get()',
      [],
    );
    expect(calls.slice(1).map(sent)).toEqual(['user: two', 'user: for all | user: three']);
    expect(output).toBe(5);
  });

  it('never parts a call of a tool from its result', () => {
    const { calls } = converse(
      `t = Tool {function() return 1 end} a = Agent {tools = {t}}
       a("one") MessageHistory.keep_tail(2) a("two")`,
      [{ text: 'let me see', toolCalls: [toolCall('t')] }, { text: 'done' }],
    );
    expect(sent(calls[2])).toBe('assistant: done | user: two');
  });

  it('keeps the words of a call whose result is gone', () => {
    const { calls } = converse(
      `t = Tool {function() return 1 end} a = Agent {tools = {t}}
       a("one") MessageHistory.keep_head(2) a("two")`,
      [{ text: 'let me see', toolCalls: [toolCall('t')] }, { text: 'done' }],
    );
    expect(calls[2]?.messages).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'let me see' },
      { role: 'user', content: 'two' },
    ]);
  });

  it('is the same when the run is replayed', () => {
    const source =
      'a = Agent {} MessageHistory.append("x") a("one") Sleep(1) MessageHistory.keep_tail(2) a("two") return MessageHistory.get()';
    const first = converse(source, []);
    const again = converse(source, [], { carried: first.program.log.entries });
    expect(again.calls).toEqual([]);
    expect(again.output).toEqual(first.output);
  });

  it('counts as memory', () =>
    expect(() =>
      outputOf('local text = ("x"):rep(100000) for i = 1, 1000 do MessageHistory.append(text) end', {
        limits: { memoryBytes: 20_000_000 },
      }),
    ).toThrow('need more than 20000000 bytes'));
});

describe('the history that an agent is sent', () => {
  const talk = (options: string): string =>
    `MessageHistory.append{role = "system", content = "s"} a = Agent {${options}} a("one") a("two") a("three")`;

  it.each([
    ['filters.last_n(1)', 'assistant: hello | user: three'],
    ['filters.last_n(0)', 'user: three'],
    ['filters.first_n(2)', 'system: s | user: one | user: three'],
    ['filters.by_role("user")', 'user: one | user: two | user: three'],
    ['filters.system_prefix()', 'system: s | user: three'],
    ['filters.token_budget(2)', 'user: two | assistant: hello | user: three'],
    ['filters.tail_tokens(2)', 'user: two | assistant: hello | user: three'],
    ['filters.head_tokens(1)', 'system: s | user: one | user: three'],
    ['filters.compose(filters.by_role("user"), filters.last_n(1))', 'user: two | user: three'],
    ['function(messages) return {messages[1]} end', 'system: s | user: three'],
    [
      'function(messages, more) return {{role = "user", content = #messages .. more.input.n}} end',
      'user: 57 | user: three',
    ],
    ['filters.compose(function(m) return {m[1], m[1]} end, filters.last_n(1))', 'system: s | user: three'],
  ])('filter = %s', (filter, expected) => {
    const input = { n: 7 };
    expect(sent(converse(talk(`filter = ${filter}`), [], { input }).calls[2])).toBe(expected);
    expect(sent(converse(talk(`message_history = {filter = ${filter}}`), [], { input }).calls[2])).toBe(
      expected,
    );
    expect(sent(converse(talk(`session = {filter = ${filter}}`), [], { input }).calls[2])).toBe(expected);
  });

  it.each([
    ['"own"', 'user: three'],
    ['"shared"', 'user: one | assistant: hello | user: two | assistant: hello | user: three'],
    ['"b"', 'user: two | assistant: hello | user: three'],
    ['"nobody"', undefined],
  ])('comes from source = %s', (source, expected) => {
    const { calls, output } = converse(
      `a = Agent {} b = Agent "b" {} c = Agent {message_history = {source = ${source}}} a("one") b("two") c("three")`,
      [],
    );
    if (expected === undefined)
      expect(output).toBe("c: message_history.source names 'nobody', which is no agent");
    else expect(sent(calls[2])).toBe(expected);
  });

  it.each(['"last_n"', '{}', '{filter = "constructor"}', '5'])('takes no filter %s', (filter) =>
    expect(() => outputOf(`Agent {filter = ${filter}}`)).toThrow('filter must be a function'),
  );

  it('is all that the filter says, which must be messages', () =>
    expect(converse(talk('filter = function() return "x" end'), []).output).toBe(
      'a filter of messages must return a list of messages',
    ));
});
