import { describe, expect, it } from 'vitest';
import { outputOf, runFake, type Perform } from '../../../support/fake-host.js';

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
    ['a\n""\nx\n""\n', [{ a: '' }, { a: 'x' }, { a: '' }]],
    ['a,b\r\n1,"x\r\ny\rz"\r\n', [{ a: '1', b: 'x\r\ny\rz' }]],
    [
      'a,b\r1,2\r3,4\r',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['a,b,a\n1,2,3\n', [{ a_1: '1', b: '2', a: '3' }]],
    ['a,a_1,a\n1,2,3\n', [{ a_1_: '1', a_1: '2', a: '3' }]],
    [
      'a\n1,2,,\n3,,4\n5\n',
      [{ a: '1', col_1: '2', col_2: '' }, { a: '3', col_1: '', col_2: '4' }, { a: '5' }],
    ],
    ['a,,\n1,2,3\n', [{ a: '1', _2: '2', '': '3' }]],
    ['', []],
  ])('csv reads %j', (text, rows) =>
    expect(outputOf('return require("tactus.io.csv").read("f")', { perform: disk({ f: text }) })).toEqual(
      rows,
    ),
  );

  it.each([
    ['csv', '{{b = "x,y", a = 1}, {a = "q\\"", b = nil}}', '', 'a,b\r\n1,"x,y"\r\n"q""",\r\n'],
    ['csv', '{{b = 1, a = 2}}', ', {headers = {"b"}}', 'b\r\n1\r\n'],
    ['csv', '{{a = 1}, {}, {c = true, b = 0.5}}', '', 'a,b,c\r\n1,,\r\n,,\r\n,0.5,true\r\n'],
    ['csv', '{{name = ""}, {}, {name = "x"}}', '', 'name\r\n""\r\n""\r\nx\r\n'],
    ['csv', '{{[""] = "x"}}', '', '""\r\nx\r\n'],
    ['csv', '{{"x", "y"}, {"z", [3] = "w"}}', '', '1,2,3\r\nx,y,\r\nz,,w\r\n'],
    ['tsv', '{{a = ""}, {a = "\\t"}}', '', 'a\r\n""\r\n"\t"\r\n'],
    ['tsv', '{{b = "x,y", a = 1}}', '', 'a\tb\r\n1\tx,y\r\n'],
    [
      'json',
      '{b = {1, 2}, a = {c = true}}',
      '',
      '{\n  "a": {\n    "c": true\n  },\n  "b": [\n    1,\n    2\n  ]\n}',
    ],
    ['json', '{1, 2, x = 3}', ', 0', '{\n"1": 1,\n"2": 2,\n"x": 3\n}'],
    ['json', '{1, nil, 3, {}}', ', 0', '{\n"1": 1,\n"3": 3,\n"4": {}\n}'],
    ['file', '"text"', '', 'text'],
  ])('%s writes %s', (module, data, options, text) => {
    const files: Record<string, string> = {};
    outputOf(`require("tactus.io.${module}").write("f", ${data}${options}) return 1`, {
      perform: disk(files),
    });
    expect(files['f']).toBe(text);
  });

  it.each([
    ['csv', '{{a = 1}, {a = {x = 1}}}', "f can't be written: a in row 2 is a table: a field holds one value"],
    ['csv', '{{a = {}}}', 'a in row 1 is a table'],
    ['tsv', '{{a = print}}', 'a in row 1 is a function'],
    ['csv', '{{a = 1}, "x"}', 'row 2 is no table of columns'],
    ['csv', '{{a = 1}, nil, {a = 3}}', 'row 2 is no table of columns'],
    ['csv', '{a = 1}', 'row 1 is no table of columns'],
    ['json', '{[1] = "a", ["1"] = "b"}', 'has the keys 1 and "1"'],
    ['json', '{[1.5] = 1}', 'JSON keys are text'],
    ['json', '(function() local t = {} t.t = t return t end)()', 'contains itself'],
  ])('%s refuses to write %s', (module, data, message) => {
    const files: Record<string, string> = {};
    const call = () =>
      outputOf(`require("tactus.io.${module}").write("f", ${data}) return 1`, { perform: disk(files) });
    expect(call).toThrow(message);
    expect(files).toEqual({});
  });

  it('csv and tsv read what they have written, whatever stands in it', () => {
    const fields = ['', ' ', 'x', '"', '""', ',', '\t', '\r', '\n', '\r\n', 'ä😀', '=1+1', 'a"b,c\td\r\n'];
    const rows = fields.flatMap((a) => [{ a }, ...fields.map((b) => ({ a, b, 'c,"': a + b }))]);
    for (const module of ['csv', 'tsv'])
      for (const written of [rows, fields.map((a) => ({ a }))])
        expect(
          outputOf(
            `local io = require("tactus.io.${module}") io.write("f", input.rows) return io.read("f")`,
            { perform: disk({}), input: { rows: written } },
          ),
        ).toEqual(written.map((row) => (written === rows ? { b: '', 'c,"': '', ...row } : row)));
  });

  it('write of runs that began on an older engine what they wrote there', () => {
    const files: Record<string, string> = {};
    const text = 'require("tactus.io.csv").write("f", {{a = 1}, {a = "", b = 2}}) return 1';
    outputOf(text, { perform: disk(files), engine: 8 });
    expect(files['f']).toBe('a\r\n1\r\n\r\n');
    outputOf(text, { perform: disk(files) });
    expect(files['f']).toBe('a,b\r\n1,\r\n,2\r\n');
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
