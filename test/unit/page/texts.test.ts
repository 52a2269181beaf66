import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../src/page/text/line-diff.js';
import { durationText, relativeTime } from '../../../src/page/text/relative-time.js';
import { countUnseen, visibleLine, visibleParts } from '../../../src/page/text/visible-text.js';

describe('text that is shown', () => {
  it('names what nobody would see, and leaves scripts and emoji alone', () => {
    expect(visibleLine('a\u202eb\u200b\u200bc\u001b[0m\u{e0041}')).toBe(
      'a⟨U+202E⟩b⟨U+200B ×2⟩c⟨U+001B⟩[0m⟨U+E0041⟩',
    );
    expect(visibleLine('👩\u200d💻 می\u200cخواهم\tx\ny')).toBe('👩\u200d💻 می\u200cخواهم\tx\ny');
    expect(visibleLine('\ud800x')).toBe('⟨U+D800⟩x');
    expect(countUnseen('a\u202eb\u200b\u200b')).toBe(3);
  });

  it.each([
    ...['\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f', '\u17b4', '\u2028', '\u2065', '\ufff0'],
    ...['\ufe00', '\ufe0e', '\ufe0f', '\u{e0100}', '\u{e01ef}', '\u180b', '\u180e', '\u{1bca0}', '\u{1d173}'],
    ...['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u{e0fff}'],
  ])('names %j between letters', (character) => {
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    expect(visibleLine(`pay${character}pal`)).toBe(`pay⟨${code}⟩pal`);
    expect(visibleLine(`${character}${character}1`)).toBe(`⟨${code} ×2⟩1`);
    expect(visibleLine(`支${character}払`)).toBe(`支⟨${code}⟩払`);
    expect(countUnseen(`5${character}0`)).toBe(1);
  });

  it.each([
    '❤\ufe0f',
    '1\ufe0f\u20e3',
    '👍🏽',
    '☺\ufe0e',
    '👨\u200d👩\u200d👧',
    '❤\ufe0f\u200d🔥',
    '👩🏽\u200d💻',
    'क्\u200dष',
    'ᠠ\u180b',
    '한국어',
    'é',
    '🇩🇪',
  ])('leaves %s alone', (text) => {
    expect(visibleLine(text)).toBe(text);
  });

  it('names what hides behind an emoji', () => {
    expect(visibleLine('❤\ufe0f\ufe0f\u{e0101}')).toBe('❤\ufe0f⟨U+FE0F⟩⟨U+E0101⟩');
    expect(visibleLine('👍\ufe00\u200d\u200d')).toBe('👍⟨U+FE00⟩⟨U+200D ×2⟩');
  });

  it('names so many and no more', () => {
    const parts = visibleParts('\u202e\u202d'.repeat(500_000));
    expect(parts.length).toBeLessThan(600);
    expect(parts.at(-1)).toBe('\ufffd'.repeat(999_500));
  });
});

describe('a diff of lines', () => {
  const marked = (before: string, after: string): string[] =>
    lineDiff(before, after).map(
      ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`,
    );

  it('keeps the lines that both have', () => {
    expect(marked('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
    expect(marked('a', 'a')).toEqual([' a']);
  });

  it('compares no texts whose table would be too large', () => {
    const long = Array.from({ length: 5_000 }, (_, i) => `x${i}`).join('\n');
    const lines = lineDiff(`a\n${long}\nb`, `c\n${long}\nd`);
    expect(lines.filter(({ kind }) => kind === 'removed')).toHaveLength(5_002);
  });
});

it('times are said as people say them', () => {
  expect(relativeTime(86_400_000 * 3 + 5, 0)).toBe('in 3 days');
  expect(relativeTime(0, 300_000)).toBe('5 minutes ago');
  expect([400, 1_234, 200_000, 7_500_000].map(durationText)).toEqual([
    '400 ms',
    '1.2 s',
    '3 min 20 s',
    '2 h 5 min',
  ]);
});
