import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { collectSource } from '../../../src/sources/collect-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder('source');
});

async function collect(files: Record<string, string | Buffer>, entry = 'main.tac'): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const source = await collectSource(folder, entry);
  expect(source.entry).toBe(entry);
  for (const [name, text] of Object.entries(source.files)) expect(text).toBe(files[name]);
  return Object.keys(source.files).sort();
}

describe('collectSource', () => {
  it.each([
    'require("helper")',
    "require('helper')",
    'require "helper"',
    "local h = require'helper'",
    'require [[helper]]',
    'require  (  "helper"  )',
    'pcall(require, "x"); x = require("helper").f()',
    'local ok, h = pcall(require, "helper")',
  ])('follows %s', async (text) => {
    expect(await collect({ 'main.tac': text, 'helper.tac': '', 'other.tac': '' })).toEqual([
      'helper.tac',
      'main.tac',
    ]);
  });

  it('takes the prompts that lie beside the procedure, and refuses those that it has no use for', async () => {
    const main = 'tone = Prompt("tone", "Be kind.") Procedure { function() end }';
    const files = {
      'main.tac': main,
      'main.prompts.json': '{"tone": "Be brief."}',
      'other.prompts.json': '{}',
    };
    expect(await collect(files)).toEqual(['main.prompts.json', 'main.tac']);
    for (const [text, problem] of [
      ['{"tune": "Be brief."}', 'has the prompt "tune"'],
      ['{"tone": 1}', 'has "tone", which is no text'],
      ['["tone"]', 'must be an object of texts'],
      ['{', 'is no JSON'],
    ] as const)
      await expect(collect({ 'main.tac': main, 'main.prompts.json': text })).rejects.toMatchObject({
        ...{ code: 'source_invalid', details: { file: 'main.prompts.json' } },
        message: expect.stringContaining(problem) as string,
      });
    await collect({
      'main.tac': 'for _, n in ipairs { "tune" } do Prompt(n, "") end',
      'main.prompts.json': '{"tune": ""}',
    });
  });

  it('takes the files that toolsets use, and none outside', async () => {
    const main = `Toolset "a" {use = "./tools/a.tac"} Toolset "b" { use='b.tac' } Tool {use = "cli.git"} x = {use = "../up.tac"} reuse = "c.tac"`;
    const files = { 'main.tac': main, 'tools/a.tac': '', 'b.tac': '', 'c.tac': '' };
    expect(await collect(files)).toEqual(['b.tac', 'main.tac', 'tools/a.tac']);
  });

  it('takes files whose tasks are included, each beside the one that includes it, and none outside', async () => {
    const main = `IncludeTasks("a/one.tac") IncludeTasks {namespace = "x", path = './two.tac'} IncludeTasks("../up.tac") path = "no.tac"`;
    const files = {
      'main.tac': main,
      'a/one.tac': 'IncludeTasks "three.tac" require("four")',
      'two.tac': '',
      'a/three.tac': '',
      'four.tac': '',
      'no.tac': '',
    };
    expect(await collect(files)).toEqual(['a/one.tac', 'a/three.tac', 'four.tac', 'main.tac', 'two.tac']);
  });

  it('looks for modules as Lua will', async () => {
    const files = {
      'main.tac': 'require("a.b") require("c") require("d") require("e/f")',
      'a/b.tac': '',
      'e/f.tac': '',
      'c/init.tac': '',
      'd.lua': '',
    };
    expect(await collect(files)).toEqual(['a/b.tac', 'c/init.tac', 'd.lua', 'e/f.tac', 'main.tac']);
    await rm(folder, { recursive: true });
    expect(await collect({ 'main.tac': 'require("a")', 'a.tac': '', 'a/init.tac': '', 'a.lua': '' })).toEqual(
      ['a.tac', 'main.tac'],
    );
  });

  it('follows what is required by what is required, in circles too, always beside the entry', async () => {
    const files = {
      'main.tac': 'require("a.one")',
      'a/one.tac': 'require("two")',
      'two.tac': 'require("a.one")',
      'a/two.tac': '',
    };
    expect(await collect(files)).toEqual(['a/one.tac', 'main.tac', 'two.tac']);
  });

  it('follows procedures that are run, whose modules are beside them', async () => {
    const files = {
      'main.tac': 'Procedure.run("sub/child", {x = 1}) procedure.spawn("./late.tac") require("shared")',
      'sub/child.tac': 'require("shared")',
      'sub/shared.tac': "-- the child's",
      'shared.tac': "-- the entry's",
      'late.tac': '',
    };
    expect(await collect(files)).toEqual([
      'late.tac',
      'main.tac',
      'shared.tac',
      'sub/child.tac',
      'sub/shared.tac',
    ]);
  });

  it('takes every file that a procedure names which runs others', async () => {
    const files = {
      'main.tac':
        'pcall(Procedure.run, "a") for _, file in ipairs{"b.tac", \'sub/c.tac\', [[d.tac]]} do Procedure.run(file) end',
      'a.tac': 'local other = "unused.tac"',
      'b.tac': '',
      'sub/c.tac': '',
      'd.tac': '',
      'unused.tac': '',
    };
    expect(await collect(files)).toEqual(['a.tac', 'b.tac', 'd.tac', 'main.tac', 'sub/c.tac']);
  });

  it('takes no data for a procedure that a source has the name of, here or above', async () => {
    const files = {
      'a/main.tac': 'Procedure.run("part") Procedure.run("shared") Procedure.run("plain")',
      ...{ 'a/part': 'data', 'a/part.tac': '', 'a/shared': 'data', 'shared.tac': '', 'a/plain': '' },
    };
    await collect(files, 'a/main.tac');
    const source = await collectSource(join(folder, 'a'), 'main.tac');
    expect(Object.keys(source.files).sort()).toEqual(['main.tac', 'part.tac', 'plain', 'shared.tac']);
  });

  it('looks above for procedures, and for their modules beside them', async () => {
    const source = async (): Promise<string[]> =>
      Object.keys((await collectSource(join(folder, 'examples', 'deep'), 'main.tac')).files).sort();
    await collect({
      'examples/deep/main.tac':
        'Procedure.run("examples/sum") Procedure.spawn("deep/main.tac") require("above")',
      'examples/sum.tac': 'require("numbers")',
      'examples/numbers.tac': '',
      'examples/above.tac': '',
      'main.tac': '',
    });
    expect(await source()).toEqual(['deep/main.tac', 'examples/numbers.tac', 'examples/sum.tac', 'main.tac']);
    await collect({ 'examples/deep/examples/sum.tac': '-- nearer', 'main.tac': '' });
    expect(await source()).toEqual(['deep/main.tac', 'examples/sum.tac', 'main.tac']);
  });

  it('takes one file for two procedures, with the modules of both', async () => {
    const files = {
      'main.tac': 'require("common") Procedure.run("sub/child.tac")',
      'common.tac': 'require("detail")',
      'detail.tac': '-- 1',
      'sub/child.tac': 'require("common")',
      'sub/common.tac': 'require("detail")',
      'sub/detail.tac': '-- 2',
    };
    expect(await collect(files)).toEqual(Object.keys(files).sort());
  });

  it('leaves out what is built in, missing, computed, or leads out of the folder', async () => {
    const text =
      'require("tactus.tools.done") require(name) require("..outside") Procedure.run("../outside.tac") Procedure.run("/etc/hosts")';
    await writeFile(join(folder, '..', 'outside.tac'), 'secret');
    expect(await collect({ 'main.tac': text })).toEqual(['main.tac']);
    await rm(join(folder, '..', 'outside.tac'));
  });

  it('takes an entry in a folder below', async () => {
    expect(
      await collect({ 'sub/main.tac': 'require("a")', 'sub/a.tac': '', 'a.tac': '' }, 'sub/main.tac'),
    ).toEqual(['sub/a.tac', 'sub/main.tac']);
  });

  it('keeps names that every object has', async () => {
    const names = await collect({
      'main.tac': 'require("__proto__") require("constructor")',
      '__proto__.tac': '-- p',
      'constructor.tac': '-- c',
    });
    expect(names).toEqual(['__proto__.tac', 'constructor.tac', 'main.tac']);
  });

  it.each([
    ['no entry', { 'other.tac': '' }, 'source_not_found'],
    ['a file too large', { 'main.tac': 'x'.repeat(600_000) }, 'source_invalid'],
    [
      'files too large together',
      Object.fromEntries(
        ['main', 'a', 'b', 'c'].map((name) => [
          `${name}.tac`,
          `require("a") require("b") require("c") --${'x'.repeat(500_000)}`,
        ]),
      ),
      'source_invalid',
    ],
    ['UTF-16', { 'main.tac': Buffer.from('\ufeffreturn 1', 'utf16le') }, 'source_invalid'],
  ] as [string, Record<string, string | Buffer>, string][])('refuses %s', async (_, files, code) => {
    await expect(collect(files)).rejects.toMatchObject({ code });
  });

  it('is quick on a hostile text', async () => {
    const started = Date.now();
    await collect({ 'main.tac': 'require ('.repeat(50_000) });
    await collect({ 'main.tac': `Procedure${' '.repeat(500_000)}` });
    for (const call of ['require', 'Procedure.run', 'IncludeTasks'])
      await collect({ 'main.tac': call + ' '.repeat(500_000) });
    await collect({ 'main.tac': `Procedure.run(x) ${'['.repeat(500_000)}` });
    expect(Date.now() - started).toBeLessThan(3_000);
  });
});
