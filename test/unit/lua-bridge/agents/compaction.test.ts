import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/contract/models/model-call.js';
import { readCompaction } from '../../../../src/lua-bridge/agents/history.js';
import { TurnConversation } from '../../../../src/lua-bridge/agents/turn-progress.js';

describe('message_history.compact', () => {
  it('keeps a quarter where nobody says how much', () => {
    expect(readCompaction({ over: 1_000 }, 'a')).toEqual({
      over: 1_000,
      keep: 250,
      model: null,
      prompt: null,
    });
    expect(readCompaction(false, 'a')).toBeNull();
  });

  it.each([
    [true, 'needs over'],
    [{ over: 0 }, 'needs over'],
    [{ over: '50k' }, 'needs over'],
    [{ over: 100, keep: 100 }, 'keep must be a number of tokens below over'],
    [{ over: 100, keep: 1.5 }, 'keep must be'],
    [{ over: 100, model: 3 }, 'model must be a text'],
    [{ over: 100, prompt: '' }, 'prompt must be a text'],
    [{ over: 100, after: 3 }, 'has no after'],
  ])('refuses %j', (given, message) => {
    expect(() => readCompaction(given, 'writer')).toThrow(`writer: message_history.compact`);
    expect(() => readCompaction(given, 'writer')).toThrow(message);
  });
});

describe('what of a turn may be summed up', () => {
  const user = (content: string): Message => ({ role: 'user', content });
  const called = (...ids: string[]): Message[] => [
    { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 't', arguments: {} })) },
    ...ids.map((id) => ({ role: 'tool', toolCallId: id, name: 't', content: 'x'.repeat(40) }) as const),
  ];
  const conversation = (history: Message[]): TurnConversation => {
    const said = new TurnConversation({ head: [user('head')], history, tail: [user('tail')], summary: null });
    said.ask(user('the task'));
    return said;
  };

  it('is never what was asked, nor half of a call and its results', () => {
    const said = conversation([user('old'), ...called('a', 'b')]);
    said.added.push(...called('c', 'd'), ...called('e', 'f'));
    // Results of 10 tokens each: whatever is kept, it begins with a message that is no result.
    for (const keep of [1, 11, 25, 40, 60, 90, 120]) {
      const { history, added } = said.olderThan(keep);
      expect([0, 1, 4]).toContain(history);
      expect([0, 3]).toContain(added);
    }
    expect(said.olderThan(1)).toEqual({ history: 4, added: 3 });
    expect(said.olderThan(1_000)).toEqual({ history: 0, added: 0 });
    said.sumUp('short', { history: 4, added: 3 });
    expect(said.messages.map(({ content }) => content.slice(0, 30))).toEqual([
      'head',
      'The conversation so far, summe',
      'tail',
      'the task',
      '',
      'x'.repeat(30),
      'x'.repeat(30),
    ]);
    expect(said.compacted).toMatchObject({ summary: 'short', added: 4, last: { toolCallId: 'b' } });
    expect(said.added).toHaveLength(7);
  });
});
