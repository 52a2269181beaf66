import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { luarcSettings } from '../../../src/cli/procedures/types-command.js';
import { cliFolder } from '../../support/cli-folder.js';

const stub = globSync('**/*.lua', { cwd: resolve(import.meta.dirname, '../../../types') }).sort();
const folder = cliFolder();
const luarc = join(folder.path, '.luarc.json');

beforeEach(() => {
  rmSync(join(folder.path, 'tactus-types'), { recursive: true, force: true });
  rmSync(luarc, { force: true });
});
afterAll(async () => folder.close());

describe('types', () => {
  it('puts the stub and the settings into the working folder', async () => {
    const ended = await folder.run(['types']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain(`tactus-types/ has ${stub.length} files`);
    expect(folder.read('tactus-types/people.lua')).toContain('function Human.approve(request) end');
    expect(JSON.parse(folder.read('.luarc.json'))).toEqual(luarcSettings);
  });

  it('works on another folder, and again, and tells it as JSON', async () => {
    mkdirSync(join(folder.path, 'project'), { recursive: true });
    expect((await folder.runHere(['types', 'project', '--json'])).json()).toMatchObject({
      folder: 'tactus-types',
      files: stub,
      removed: [],
      luarc: { file: 'project/.luarc.json', written: true },
    });
    expect((await folder.runHere(['types', 'project', '--json'])).json()).toMatchObject({
      luarc: { written: false, missing: {} },
    });
  });

  it('takes away what an older version brought, and nothing else', async () => {
    folder.write('tactus-types/older.lua', '---@meta _\nold = {}\n');
    folder.write('tactus-types/own.lua', 'mine = {}\n');
    const ended = await folder.runHere(['types', '--json']);
    expect(ended.json()).toMatchObject({ removed: ['older.lua'] });
    expect(folder.read('tactus-types/own.lua')).toBe('mine = {}\n');
  });

  it('leaves settings alone that are there, and says what they lack', async () => {
    const own = {
      runtime: { version: 'Lua 5.1' },
      'Lua.workspace.library': ['more', 'tactus-types'],
      'diagnostics.disable': ['unused-local'],
    };
    writeFileSync(luarc, JSON.stringify(own));
    const ended = await folder.runHere(['types', '--json']);
    expect(ended.code).toBe(0);
    const { 'workspace.library': _, ...missing } = luarcSettings;
    expect(ended.json()['luarc']).toMatchObject({ written: false, missing });
    expect(JSON.parse(readFileSync(luarc, 'utf8'))).toEqual(own);
    expect((await folder.runHere(['types'])).stdout).toContain(
      'was left alone; add to it:\n{\n  "runtime.version"',
    );
  });

  it('says all of it where the settings are no JSON', async () => {
    writeFileSync(luarc, '{ // mine\n}');
    const ended = await folder.runHere(['types']);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('is no plain JSON and was left alone');
    expect(ended.stdout).toContain('"files.associations"');
  });

  it('is refused where there is no folder', async () => {
    const ended = await folder.runHere(['types', 'nowhere']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('There is no folder nowhere');
  });
});
