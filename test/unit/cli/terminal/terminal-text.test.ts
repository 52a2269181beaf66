import { afterEach, describe, expect, it, vi } from 'vitest';
import { jsonText, paint, Screen, terminalText } from '../../../../src/cli/terminal/screen.js';

const hostile = [
  ['a colour', '\u001b[31m'],
  ['hidden text', '\u001b[8m'],
  ['a cleared screen', '\u001b[2J'],
  ['a link', '\u001b]8;;http://evil.example\u001b\\'],
  ['the clipboard', '\u001b]52;c;ZXZpbA==\u0007'],
  ['a title', '\u001b]0;evil\u0007'],
  ['a device string', '\u001bP+q544e\u001b\\'],
  ['the short form of an escape sequence', '\u009b2J'],
  ['the short form of a link', '\u009d8;;http://evil.example\u009c'],
  ['an overwritten line', 'kept\rgone'],
  ['backspaces', 'no\b\byes'],
  ['delete', '\u007f'],
  ['NUL', '\0'],
  ['vertical tab and form feed', '\u000b\u000c'],
  ['next line', '\u0085'],
  ['another direction', '\u202egpj.exe\u2066\u2069'],
] as const;
// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe.each(hostile)('%s', (_what, text) => {
  it('is seen, and not obeyed, with and without colours', () => {
    for (const hasColours of [true, false]) {
      const shown = terminalText(`a${text}b`, hasColours);
      expect(shown).not.toMatch(obeyed);
      expect(shown).toMatch(/^a.*\ufffd.*b$/);
    }
    expect(terminalText(paint.red(text), true).slice('\u001b[31m'.length, -'\u001b[39m'.length)).not.toMatch(
      obeyed,
    );
  });

  it('means the same in JSON', () => {
    const json = jsonText({ [text]: text });
    expect(json).not.toMatch(obeyed);
    expect(JSON.parse(json)).toEqual({ [text]: text });
  });
});

it('our own colours are shown where they are wanted, within each other too', () => {
  const text = `${paint.red('a')}\n${paint.dim(`b ${paint.green('c')}`)}`;
  expect(terminalText(text, true)).toBe('\u001b[31ma\u001b[39m\n\u001b[2mb \u001b[32mc\u001b[39m\u001b[22m');
  expect(terminalText(text, false)).toBe('a\nb c');
});

describe('a screen', () => {
  afterEach(() => vi.restoreAllMocks());

  it('has colours on a terminal, unless they are not wanted', () => {
    const has = (color: boolean, isTTY: boolean | undefined): boolean =>
      new Screen({ json: false, quiet: false, color }).hasColours({ isTTY } as NodeJS.WriteStream);
    expect([has(true, true), has(false, true), has(true, undefined)]).toEqual([true, false, false]);
  });

  it('says nothing that a terminal obeys', () => {
    let said = '';
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        said += String(text);
        return true;
      });
    const text = hostile.map(([, each]) => each).join('');
    const screen = new Screen({ json: false, quiet: false, color: false });
    screen.note(text);
    screen.warn(text);
    screen.out(text);
    screen.stream(text);
    screen.answer({}, () => text);
    screen.shown({ kind: 'print', text });
    screen.shown({ kind: 'log', level: 'info', message: text, context: { [text]: text } });
    new Screen({ json: true, quiet: false, color: false }).answer({ [text]: [text] }, () => '');
    expect(said.split('\n').length).toBeGreaterThan(8);
    expect(said).not.toMatch(obeyed);
  });
});
