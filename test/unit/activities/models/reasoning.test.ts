import { describe, expect, it } from 'vitest';
import { jsonInText } from '../../../../src/activities/models/output-schema.js';
import { ReasoningFilter, withoutReasoning } from '../../../../src/activities/models/provider-options.js';

const thinking: [string, string][] = [
  ['<think>\nLet me see {a}.\n</think>\n\nBerlin', 'Berlin'],
  ['\n <think></think>Berlin', 'Berlin'],
  ['<think>one</think>\n<think>two</think>\nBerlin', 'Berlin'],
  ['<thinking>a <think> b</thinking>Berlin', 'Berlin'],
  ['[THINK]so[/THINK]Berlin', 'Berlin'],
  ['<think>never ended', ''],
];
const plain = [
  '',
  'Berlin',
  'Write <think> and </think> around it.',
  '<thin',
  '< 3 </think',
  '{"a":"</think>"}',
  'Close it with </think>, and go on.',
];

describe('what a model thought before its answer', () => {
  it.each(thinking)('is no part of it: %j', (text, spoken) => {
    expect(withoutReasoning(text)).toEqual({ text: spoken, hasThought: true });
  });

  it.each(plain)('is not found where there is none: %j', (text) => {
    expect(withoutReasoning(text)).toEqual({ text, hasThought: false });
  });

  it('may have an end alone, where a template began it', () => {
    expect(withoutReasoning('I look it up.\n</think>\n\nBerlin').text).toBe('Berlin');
  });

  it.each([...thinking, ...plain.map((text): [string, string] => [text, text])])(
    'is not passed on, in whatever pieces it comes: %j',
    (text, spoken) => {
      for (const size of [1, 3, 100]) {
        let heard = '';
        const pieces = new ReasoningFilter((piece) => (heard += piece));
        for (let at = 0; at < text.length; at += size) pieces.add(text.slice(at, at + size));
        pieces.end();
        expect(heard).toBe(spoken);
      }
    },
  );
});

describe('JSON in a text', () => {
  it.each([
    ['Sure: {"a":1}. Anything else?', ['{"a":1}']],
    ['```json\n{"a":[{"b":"}"}]}\n```', ['{"a":[{"b":"}"}]}']],
    ['Say {name}: [1, 2] or {"a":"\\"}"}', ['[1, 2]', '{"a":"\\"}"}']],
    ['{ not it, {"a":1}', ['{"a":1}']],
    ['"{" and {"a":1', []],
    ['no "quotes" [and [brackets]]', []],
    ['nothing', []],
  ])('%j', (text, found) => {
    expect(jsonInText(text).map((each) => each.text)).toEqual(found);
  });

  it('is looked for in a time that grows with the text', () => {
    const began = performance.now();
    expect(jsonInText('{'.repeat(400_000))).toEqual([]);
    expect(jsonInText('["'.repeat(200_000))).toEqual([]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
