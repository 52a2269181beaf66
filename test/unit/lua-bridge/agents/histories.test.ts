import { describe, expect, it } from 'vitest';
import { converse } from '../../../support/converse.js';

const outputOf = (body: string) => converse(body, []).output;
const user = (content: string) => ({ role: 'user', content });

describe('a history', () => {
  it('keeps messages, with all that they hold, by a point or a colon', () =>
    expect(
      outputOf(`local h = History()
        h.add({ role = "user", content = "a" }) h:add({ role = "assistant", content = "b", extra = 1 })
        h.add(Message { role = "system", content = "c" }) h.add({ question = "d", answer = "e" })
        return { h.get(), h:get(1), h.other == nil, tostring(h) }`),
    ).toEqual([
      [
        user('a'),
        { role: 'assistant', content: 'b', extra: 1 },
        { role: 'system', content: 'c' },
        { question: 'd', answer: 'e' },
      ],
      [{ question: 'd', answer: 'e' }],
      true,
      'History',
    ]));

  it('begins with what it is given, and gives copies', () =>
    expect(
      outputOf(`local h = History({ { role = "user", content = "a" } }) h.get()[1].content = "b"
        local other = History(h.get()) other.add({ role = "user", content = "c" })
        return { h.get(), other.get() }`),
    ).toEqual([[user('a')], [user('a'), user('c')]]));

  it.each([
    ['h.get(2)', ['bbbbbbbb', 'c']],
    ['h.get(0)', []],
    ['h.get(9)', ['aaaa', 'bbbbbbbb', 'c']],
    // 4 for each message, 1 for its role, and 1 for 4 characters.
    ['h.get(nil, 5)', ['c']],
    ['h.get(nil, 11)', ['c']],
    ['h.get(nil, 12)', ['bbbbbbbb', 'c']],
    ['h.get(1, 100)', ['c']],
    ['(h.truncate(2) or h).get()', ['aaaa', 'bbbbbbbb']],
    ['(h.truncate(-1) or h).get()', []],
    ['(h.clear() or h).get()', []],
  ])('gives by %s', (call, contents) =>
    expect(
      outputOf(`local h = History() local texts = {}
        for _, text in ipairs({ "aaaa", "bbbbbbbb", "c" }) do h.add({ role = "user", content = text }) end
        for i, message in ipairs(${call}) do texts[i] = message.content end return { texts, h.count_tokens() }`),
    ).toEqual([contents, call.includes('truncate(2)') ? 13 : /truncate|clear/.test(call) ? 0 : 18]),
  );

  it.each([
    ['h.add({ content = "a" })', 'role is required'],
    ['h.add({ role = "user" })', "Message must include 'content' key"],
    [
      'h.add({ role = "robot", content = "a" })',
      'Invalid role. Must be one of system, user, assistant, tool',
    ],
    ['h.add("hi")', 'a message must be a table with role and content'],
    ['h.add()', 'a message must be a table with role and content'],
    ['h.add({ f = print })', 'f is a function'],
    ['h.truncate()', 'a number expected'],
    ['History("hi")', 'a list of messages expected'],
    ['History({ role = "user", content = "a" })', 'a list of messages expected'],
    ['History({ { role = "user" } })', "Message must include 'content' key"],
  ])('refuses %s', (call, message) => expect(outputOf(`local h = History() ${call}`)).toContain(message));

  it('counts as memory of the run', () => {
    const { ended } = converse(
      'local h, text = History(), string.rep("x", 100000) while true do h.add({ role = "user", content = text }) end',
      [],
    );
    expect(ended).toMatchObject({ kind: 'failed', error: { code: 'memory_limit' } });
  });
});
