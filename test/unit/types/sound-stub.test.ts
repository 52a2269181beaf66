import { describe, expect, it } from 'vitest';
import { typeIn } from '../../../scripts/build/read-declarations.mjs';
import { parse } from '../../../src/validation/syntax/parse.js';
import { unknownTypes } from '../../support/stub-types.js';
import { globalsOf, readStub } from '../../support/type-stub.js';

const stub = readStub();
const declared = stub.flatMap((file) => file.declared);

describe('the stub for editors', () => {
  it('says in each file that it is no program', () => {
    expect(stub.filter(({ text }) => !text.startsWith('---@meta ')).map(({ name }) => name)).toEqual([]);
  });

  it('has a module where `require` looks for it', () => {
    const modules = stub.filter(({ module }) => module !== null);
    expect(modules.map(({ name }) => name)).toEqual(
      modules.map(({ module }) => `${module?.replaceAll('.', '/')}.lua`),
    );
  });

  it('declares everything once', () => {
    const names = globalsOf(stub).map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const types = stub.flatMap(({ text }) =>
      [...text.matchAll(/^---@(?:class|alias) ([\w.]+)/gm)].map((match) => match[1]),
    );
    expect(types.filter((name, i) => types.indexOf(name) !== i)).toEqual([]);
  });

  it('names types that are declared', () => {
    expect(unknownTypes(stub)).toEqual([]);
  });

  it('sees where a type ends', () => {
    expect(typeIn('fun(a: string, b?: T): T[] What it does')).toBe('fun(a: string, b?: T): T[]');
    expect(typeIn('"a b"|"c" The choice')).toBe('"a b"|"c"');
    expect(typeIn('{ id: string, n: integer }? Or nothing')).toBe('{ id: string, n: integer }?');
  });

  it('describes the parameters that there are, all of them, in their order', () => {
    const wrong = declared.flatMap(({ name, doc, parameters, place }) => {
      const described = doc.flatMap((line) => /^@param (\w+|\.\.\.)/.exec(line)?.[1] ?? []);
      if (described.join() === (parameters ?? []).join()) return [];
      return [`${place}: ${name} has (${parameters?.join(', ')}), and describes ${described.join(', ')}`];
    });
    expect(wrong).toEqual([]);
  });

  it('shows a use of each global that is not of Lua', () => {
    const bare = globalsOf(stub.filter(({ name }) => !name.startsWith('lua/')))
      .filter(({ name, doc }) => !name.includes('.') && !doc.includes('```lua'))
      .map(
        ({ name, place }) =>
          `${place}: show a short use of ${name} in its comment, between \`\`\`lua and \`\`\``,
      );
    expect(bare).toEqual([]);
  });

  const uses = declared.flatMap(({ name, doc }) => {
    const [from, to] = [doc.indexOf('```lua'), doc.lastIndexOf('```')];
    return from < 0 ? [] : [{ name, text: doc.slice(from + 1, to).join('\n') }];
  });
  it.each(uses)('shows a use of $name that is Lua', ({ text }) => {
    const asItIs = parse(text);
    // Fields are shown without the table that they stand in.
    expect('chunk' in asItIs || 'chunk' in parse(`return {${text}}`), text).toBe(true);
  });
});
