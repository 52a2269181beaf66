import { describe, expect, it } from 'vitest';
import { outputOf, runFake, type Perform } from '../../support/fake-host.js';

describe('the modules of tactus.io', () => {
  /** Files in memory. */
  function disk(files: Record<string, string>): Perform {
    return (effect) => {
      if (effect.kind !== 'file') throw new Error('no file');
      if (effect.operation === 'write') files[effect.path] = effect.content ?? '';
      return effect.operation === 'read' ? (files[effect.path] ?? null) : true;
    };
  }

  it.each([
    [
      'a,b\n1,x\n2,y\n',
      [
        { a: '1', b: 'x' },
        { a: '2', b: 'y' },
      ],
    ],
    ['a,b\r\n"1,5","say ""hi"""\r\n', [{ a: '1,5', b: 'say "hi"' }]],
    ['a,b\n"two\nlines",\n', [{ a: 'two\nlines', b: '' }]],
    ['\ufeffa\n1\n\n2', [{ a: '1' }, { a: '2' }]],
    ['a,b\n1,', [{ a: '1', b: '' }]],
    ['a\n"open', [{ a: 'open' }]],
    [
      'näme,b\n"é, ""ü""",日本\nß,"😀"\n',
      [
        { näme: 'é, "ü"', b: '日本' },
        { näme: 'ß', b: '😀' },
      ],
    ],
    ['a,b\n"x" y,z\n', [{ a: 'x y', b: 'z' }]],
    ['', []],
  ])('csv reads %j', (text, rows) =>
    expect(outputOf('return require("tactus.io.csv").read("f")', { perform: disk({ f: text }) })).toEqual(
      rows,
    ),
  );

  it.each([
    ['csv', '{{b = "x,y", a = 1}, {a = "q\\"", b = nil}}', '', 'a,b\r\n1,"x,y"\r\n"q""",\r\n'],
    ['csv', '{{b = 1, a = 2}}', ', {headers = {"b"}}', 'b\r\n1\r\n'],
    ['tsv', '{{b = "x,y", a = 1}}', '', 'a\tb\r\n1\tx,y\r\n'],
    [
      'json',
      '{b = {1, 2}, a = {c = true}}',
      '',
      '{\n  "a": {\n    "c": true\n  },\n  "b": [\n    1,\n    2\n  ]\n}',
    ],
    ['file', '"text"', '', 'text'],
  ])('%s writes %s', (module, data, options, text) => {
    const files: Record<string, string> = {};
    outputOf(`require("tactus.io.${module}").write("f", ${data}${options}) return 1`, {
      perform: disk(files),
    });
    expect(files['f']).toBe(text);
  });

  it('json reads, encodes and decodes', () =>
    expect(
      outputOf(
        'local j = require("tactus.io.json") return {j.read("f").a, j.encode({b = 1}), j.encode({b = 1}, 1), j.decode("[2]")[1]}',
        { perform: disk({ f: '{"a": 1}' }) },
      ),
    ).toEqual([1, '{"b": 1}', '{\n "b": 1\n}', 2]));

  it.each([
    ['examples', 'examples'],
    ['', undefined],
    [undefined, undefined],
  ])('go by the folder of the procedure (%j), and File does not', (given, folder) => {
    const seen: unknown[] = [];
    const perform: Perform = (effect) => {
      if (effect.kind === 'file') seen.push(effect.folder);
      return 'a\n1\n';
    };
    const text =
      'require("tactus.io.csv").read("f") require("tactus.io.file").exists("f") return File.read("f")';
    outputOf(text, { perform, ...(given === undefined ? {} : { folder: given }) });
    expect(seen).toEqual([folder, folder, undefined]);
  });

  it('stand in the log with the line that called them', () => {
    const { program } = runFake('local json = require("tactus.io.json")\njson.write("f", {})', {
      perform: disk({}),
    });
    expect(program.log.entries).toMatchObject([{ source: { file: 'main.tac', line: 2 } }]);
  });

  it('are checkpoints', () =>
    expect(() => outputOf('require("tactus.io.csv").write("f", {})')).toThrow('nothing to write to f'));
});
