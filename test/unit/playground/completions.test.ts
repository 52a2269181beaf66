import { describe, expect, it } from 'vitest';
import { completionsAt } from '../../../src/playground/editor/completions.js';

/** What is offered where `|` is. */
function offered(text: string): string[] {
  const at = text.indexOf('|');
  const found = completionsAt(text.replace('|', ''), at);
  expect(found === null || /^\w*$/.test(text.slice(found.from, at))).toBe(true);
  return found?.options.map(({ label }) => label) ?? [];
}

describe('what the editor offers', () => {
  it.each([
    ['members of a library', 'local ok = Human.app|', ['approve', 'select', 'input']],
    ['members at its dot', 'Procedure { function() Log.| end }', ['info', 'warn']],
    ['names of the language', 'Proc|', ['Procedure', 'Human', 'while']],
    ['names of the file', 'writer = Agent {}\nlocal count = 1\nlocal x = wri|', ['writer', 'count']],
    ['keys of an agent', 'writer = Agent {\n  model = "a", sys|', ['system_prompt', 'tools', 'model']],
    ['keys of a named declaration', 'Agent "writer" { |', ['system_prompt']],
    ['keys of a procedure', 'Procedure { | }', ['input', 'output', 'deadline']],
    ['keys of a call', 'Human.approve { message = "Go?", time|', ['timeout', 'default', 'approvers']],
    ['keys of a call with brackets', 'local ok = Human.approve({ mess|', ['message']],
    ['keys of a field', 'Procedure { input = { n = field.number { req|', ['required', 'default']],
  ])('has %s', (_, text, labels) => {
    expect(offered(text)).toEqual(expect.arrayContaining(labels));
  });

  it.each([
    ['in a text', 'print("Hum|'],
    ['in an open text of several lines', 'print([[\nHum|'],
    ['in a comment', '-- Hum|'],
    ['in a comment of several lines', '--[[ a\nHum|'],
    ['where nothing is written', 'print(1) |'],
    ['of what has no members', 'local x = nobody.|'],
  ])('has nothing %s', (_, text) => {
    expect(offered(text)).toEqual([]);
  });

  it('goes on after a text or a comment has ended, and offers no keys for a value', () => {
    expect(offered('print("a") -- b\nHum|')).toContain('Human');
    expect(offered('--[[ a ]] Hum|')).toContain('Human');
    expect(offered('Agent { model = mod|')).not.toContain('system_prompt');
    expect(offered('Procedure { function() loc|')).toContain('local');
  });

  it('says what a function does, and the type of a key', () => {
    const found = completionsAt('Human.appr', 10);
    expect(found?.options.find(({ label }) => label === 'approve')).toMatchObject({
      kind: 'function',
      info: expect.stringContaining('Yes') as string,
    });
    const keys = completionsAt('Agent { ', 8);
    expect(keys?.options.find(({ label }) => label === 'system_prompt')).toMatchObject({
      kind: 'property',
      detail: expect.stringContaining('string') as string,
    });
  });

  it('is quick in a long file, and whatever it ends with', () => {
    const long = `${'local x = { a = "b", c = [[d]] } -- e\n'.repeat(3_000)}Human.`;
    expect(completionsAt(long, long.length)?.options.length).toBeGreaterThan(3);
    for (const odd of ['"', "'", '[[', '--[==[', '\\', '{', '}', ')', '"\\'])
      expect(() => completionsAt(odd.repeat(2_000), odd.length * 2_000)).not.toThrow();
  });
});
