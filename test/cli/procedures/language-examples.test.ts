import { cpSync, globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResults } from '../../../src/testing/specifications/test-results.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { markUses, reachedIn, type Marked } from '../../support/reached.js';
import { membersOf } from '../../../src/language/surface.js';
import { globalsOf, readStub } from '../../support/type-stub.js';

const home = resolve(import.meta.dirname, '../../../examples/language');
const names = globSync('*.tac', { cwd: home }).sort();
const stub = readStub();

let folder: CliFolder;
/** Of the examples as they stand. */
let results: TestResults['files'];
/** Names of the language in statements that were come to, in one example or another. */
let reached: Set<string>;

beforeAll(async () => {
  folder = cliFolder();
  const marked = markAll();
  const both = ['language', 'marked'].flatMap((copy) => names.map((name) => `${copy}/${name}`));
  const ended = await folder.runHere(['test', '--mock', '--json', ...both]);
  const { files } = ended.json() as unknown as TestResults;
  results = files.filter(({ file }) => file.startsWith('language/'));
  reached = new Set(
    files.filter((file) => !results.includes(file)).flatMap((file) => namesToldBy(file, marked)),
  );
});
afterAll(async () => folder?.close());

/** Copies the examples as they stand, and once more as they note what they come to. */
function markAll(): Map<string, Marked> {
  for (const copy of ['language', 'marked']) cpSync(home, join(folder.path, copy), { recursive: true });
  return new Map(
    names.map((name) => {
      const marked = markUses(name, readFileSync(join(home, name), 'utf8'));
      folder.write(`marked/${name}`, marked.text);
      return [name, marked];
    }),
  );
}

function namesToldBy({ file, scenarios }: TestResults['files'][number], all: Map<string, Marked>): string[] {
  const messages = scenarios.flatMap(({ steps }) => steps.map(({ message }) => message));
  const names = all.get(basename(file))?.names;
  return [...reachedIn(messages)].flatMap((number) => names?.get(number) ?? []);
}

describe('the examples of the language', () => {
  it.each(names)('%s does in every scenario what it says', (name) => {
    const found = results.find(({ file }) => basename(file) === name);
    expect(found?.scenarios.length, `${name} needs a Specification with a scenario`).toBeGreaterThan(0);
    const wrong = found?.scenarios.filter(({ status }) => status !== 'passed');
    expect(wrong).toEqual([]);
  });

  it('use every name of the language, in code that is come to', () => {
    const unused = globalsOf(stub).filter(({ name }) => !reached.has(name));
    expect(
      unused.map(
        ({ name }) => `write an example in examples/language/ whose scenarios come to a use of ${name}`,
      ),
    ).toEqual([]);
  });

  it('use every member of agents, tools, models, modules and what belongs to them', () => {
    const types = ['Agent', 'Tool', 'Model', 'Module', 'Signature', 'LM', 'History', 'TurnResult'];
    const unused = types.flatMap((type) =>
      membersOf(`tactus.${type}`)
        .filter((field) => !reached.has(`.${field}`))
        .map((field) => `no example in examples/language/ comes to a use of tactus.${type}'s ${field}`),
    );
    expect(unused).toEqual([]);
  });

  it('are evaluated where they say how', async () => {
    const ended = await folder.runHere(['evaluate', 'language/evaluations.tac', '--mock', '--json']);
    expect(ended.code, ended.stderr).toBe(0);
  });

  it('are laid out as `format` does it', async () => {
    const ended = await folder.runHere(['format', '--check', ...names.map((name) => `language/${name}`)]);
    expect(ended.code, ended.stdout).toBe(0);
  });
});
