import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/contract/runs/run-view.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** What a procedure could own the next start by. */
const kept = {
  '.git/hooks/pre-commit': '#!/bin/sh\nexit 0\n',
  '.env': 'OPENAI_API_KEY=mine\n',
  '.tactus/config.yml': 'default_provider: openai\n',
  'hostile.tac.yml': 'strict_determinism: true\n',
  'hostile.tac': `
local file = require("tactus.io.file")
local json = require("tactus.io.json")

Procedure {
  output = { told = field.array{} },
  function()
    local told = {}
    local function try(write, name, text)
      local ok, message = pcall(write, name, text)
      told[#told + 1] = (ok and "written: " or "caught: ") .. tostring(message)
    end
    for _, name in ipairs{".git/hooks/pre-commit", ".env", ".tactus/config.yml", "hostile.tac", "hostile.tac.yml"} do
      try(File.write, name, "mine now")
      try(file.write, name, "mine now")
      try(json.write, name, {"mine now"})
      try(File.read, name)
    end
    try(File.write, "notes/../.env", "mine now")
    try(File.write, "HOSTILE.TAC", "mine now")
    try(File.write, "notes/fine.txt", "fine")
    return { told = told }
  end,
}`,
};

let folder: CliFolder;
beforeAll(async () => {
  folder = cliFolder();
  for (const [name, text] of Object.entries(kept)) folder.write(name, text);
  await folder.runHere(['server', 'start']);
});
afterAll(() => folder?.close());

describe('a procedure that would own the next start', () => {
  it('writes and reads nothing of it, and is told why', async () => {
    const before = readdirSync(folder.path).sort();
    const ended = await folder.runHere(['run', 'hostile.tac', '--files', '.', '--json', '--quiet']);
    expect(ended.code, ended.stderr).toBe(0);
    const { told } = (ended.json() as unknown as RunView).output as { told: string[] };
    const where = "(folder of files: the worker's working folder)";
    const reasons = {
      '.git/hooks/pre-commit': 'a name in it begins with a dot',
      '.env': 'a name in it begins with a dot',
      '.tactus/config.yml': 'a name in it begins with a dot',
      'hostile.tac': 'it is a source of procedures',
      'hostile.tac.yml': 'it configures a procedure',
    };
    const refusals = Object.entries(reasons).map(([name, why]) => `"${name}" is refused: ${why} ${where}`);
    expect(told).toHaveLength(4 * refusals.length + 3);
    for (const [index, refusal] of refusals.entries())
      for (const each of told.slice(4 * index, 4 * index + 4)) {
        expect(each).toMatch(/^caught: /);
        expect(each).toContain(refusal);
      }
    expect(told.slice(-3)).toEqual([
      expect.stringMatching(/^caught: .*Path traversal: "notes\/\.\.\/\.env" leaves the folder/),
      expect.stringContaining(`"HOSTILE.TAC" is refused: it is a source of procedures ${where}`),
      'written: true',
    ]);
    for (const [name, text] of Object.entries(kept)) expect(folder.read(name)).toBe(text);
    expect(readdirSync(folder.path).sort()).toEqual([...before, 'notes'].sort());
  });
});

describe('--files', () => {
  const note = `
Procedure {
  output = { notes = field.string{}, missing = field.string{} },
  function()
    local json = require("tactus.io.json")
    File.write("a.txt", "by File")
    json.write("b.json", "by tactus.io")
    local _, missing = pcall(File.read, "none.txt")
    return { notes = File.read("a.txt") .. ", " .. json.read("b.json"), missing = tostring(missing) }
  end,
}
Specification([[
Feature: Notes
  Scenario: are taken
    When the procedure runs
    Then the output notes should be "by File, by tactus.io"
]])`;
  beforeAll(() => {
    folder.write('procedures/note.tac', note);
    mkdirSync(join(folder.path, 'plain'));
  });

  async function noteBy(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const ended = await folder.runHere([...args, '--json', '--quiet'], { env });
    expect(ended.code, ended.stderr).toBe(0);
    const { notes, missing } = (ended.json() as unknown as RunView).output as Record<string, string>;
    expect(notes).toBe('by File, by tactus.io');
    return missing ?? '';
  }

  it('left out, files are in a folder of their own, which is made, and whoever misses them is told what to set', async () => {
    folder.write('none.txt', 'beside the procedure');
    const missing = await noteBy(['run', 'procedures/note.tac']);
    expect(missing).toContain(
      `none.txt doesn't exist (folder of files: files; --files, files_folder or TACTUS_TEMPORAL_FILES names another one, and "." is the working folder)`,
    );
    expect(readdirSync(join(folder.path, 'files')).sort()).toEqual(['a.txt', 'b.json']);
  });

  it('a setting of the working folder says it for all commands, and one beside a procedure has no effect', async () => {
    folder.write('tactus.yml', 'files_folder: by-setting');
    folder.write('procedures/note.tac.yml', 'files_folder: .');
    try {
      expect(await noteBy(['run', 'procedures/note.tac'])).toContain('(folder of files: by-setting)');
      expect(await noteBy(['run', 'procedures/note.tac', '--files', 'by-flag'])).toContain('by-flag');
      const told = await folder.runHere(['run', 'procedures/note.tac']);
      expect(told.stderr).toContain('procedures/note.tac.yml: files_folder has no effect here');
    } finally {
      for (const name of ['tactus.yml', 'procedures/note.tac.yml']) rmSync(join(folder.path, name));
    }
  });

  it('says where a run has its files, which is made', async () => {
    const missing = await noteBy(['run', 'procedures/note.tac', '--files', 'data/of-runs']);
    expect(missing).toContain("none.txt doesn't exist (folder of files: data/of-runs)");
    expect(readdirSync(join(folder.path, 'data/of-runs')).sort()).toEqual(['a.txt', 'b.json']);
    expect(readdirSync(join(folder.path, 'procedures'))).toEqual(['note.tac']);
  });

  it('says so by a variable as well, and the flag is stronger', async () => {
    const env = { TACTUS_TEMPORAL_FILES: 'by-variable' };
    expect(await noteBy(['run', 'procedures/note.tac'], env)).toContain('(folder of files: by-variable)');
    expect(await noteBy(['run', 'procedures/note.tac', '--files', 'by-flag'], env)).toContain('by-flag');
    expect(existsSync(join(folder.path, 'by-flag/a.txt'))).toBe(true);
  });

  it('leaves tactus.io beside a procedure that lies below it', async () => {
    await noteBy(['run', 'procedures/note.tac', '--files', 'procedures']);
    expect(readdirSync(join(folder.path, 'procedures')).sort()).toEqual(['a.txt', 'b.json', 'note.tac']);
  });

  it('holds for tests', async () => {
    const ended = await folder.runHere(['test', 'procedures/note.tac', '--files', 'of-tests', '--json']);
    expect(ended.code, ended.stdout).toBe(0);
    expect(readdirSync(join(folder.path, 'of-tests')).sort()).toEqual(['a.txt', 'b.json']);
  });

  it('that names a file is refused with nothing started', async () => {
    for (const command of ['run', 'test']) {
      const ended = await folder.runHere([
        command,
        'procedures/note.tac',
        '--files',
        'hostile.tac',
        '--json',
      ]);
      expect(ended.code).toBe(2);
      expect(ended.json()).toMatchObject({
        error: { code: 'usage', message: '--files: hostile.tac is no folder' },
      });
    }
  });

  it('holds for a worker, and what is started for it and resumed', async () => {
    const worker = await folder.worker(['--files', 'of-worker']);
    try {
      await folder.runHere([
        'start',
        'procedures/note.tac',
        '--id',
        'started',
        '--files',
        'of-worker',
        '--json',
      ]);
      expect(await noteBy(['result', 'started'])).toContain('(folder of files: of-worker)');
      expect(readdirSync(join(folder.path, 'of-worker')).sort()).toEqual(['a.txt', 'b.json']);
    } finally {
      await worker.stop();
    }
    folder.write(
      'late.tac',
      'function main() Human.approve("Go on?") File.write("late.txt", "x") return 1 end',
    );
    const first = await folder.runHere(['run', 'late.tac', '--id', 'late', '--files', 'of-late', '--quiet']);
    expect(first.code, first.stderr).toBe(3);
    const resumed = ['resume', 'late', '--respond', 'true', '--files', 'of-late', '--quiet'];
    expect((await folder.runHere(resumed)).code).toBe(0);
    expect(readdirSync(join(folder.path, 'of-late'))).toEqual(['late.txt']);
  });
});
