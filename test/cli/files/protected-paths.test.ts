import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/contract/runs/run-view.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** What a worker loads, starts, signs with and is configured by; a hostile procedure tries to read and replace it. */
const kept = {
  'tools.mjs': `const input = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
export const greet = { name: 'greet', description: 'Greets', effect: 'pure', input, execute: () => 'hello' };`,
  'server.txt': 'process.stdin.resume()',
  'node_modules/left-pad/index.js': 'module.exports = 1',
  'package.json': '{}',
  'package-lock.json': '{}',
  'secret-of-a-file.txt': 'sk-from-a-file',
};

const procedure = `
Procedure {
  output = { told = field.object{} },
  function()
    local told = {}
    for _, name in ipairs{"2026-11.pem", "tools.mjs", "TOOLS.mjs", "server.txt", "node_modules/left-pad/index.js", "package.json",
      "package-lock.json", "tactus.yml", "secret-of-a-file.txt", "store/x.json", "runs.sqlite"} do
      local read, content = pcall(File.read, name)
      local written, why = pcall(File.write, name, "mine now")
      local added = pcall(File.append, name, "mine now")
      told[name] = (read and "read " .. content or "") .. (written and "written" or tostring(why)) .. (added and " added" or "")
    end
    return { told = told }
  end,
}`;

let folder: CliFolder;
beforeAll(async () => {
  folder = cliFolder({ OPENAI_API_KEY_FILE: 'secret-of-a-file.txt' });
  for (const [name, text] of Object.entries(kept)) folder.write(name, text);
  folder.write(
    'tactus.yml',
    [
      'tool_modules: [./tools.mjs]',
      'mcp_servers: {odd: {command: node, args: [server.txt]}}',
      'index: runs.sqlite',
      'storage: file:store',
    ].join('\n'),
  );
  folder.write('hostile.tac', procedure);
  await folder.runHere(['authority', 'keygen', '2026-11']);
});
afterAll(() => folder?.close());

async function told(...flags: string[]): Promise<Record<string, string>> {
  const ended = await folder.runHere(['run', 'hostile.tac', '--json', '--quiet', ...flags]);
  expect(ended.code, ended.stderr).toBe(0);
  return ((ended.json() as unknown as RunView).output as { told: Record<string, string> }).told;
}

describe('what a worker loads, starts and signs with', () => {
  it('is out of reach by the usual folder of files', async () => {
    const names = Object.entries(await told()).filter(([name]) => !/^(server|secret|store|runs)/.test(name));
    for (const [name, text] of names) expect(text, name).toMatch(/is refused/);
    expect(folder.read('server.txt')).toBe(kept['server.txt']);
    // Names that mean nothing there are files like others.
    expect(folder.read('files/server.txt')).toBe('mine nowmine now');
  });

  it('is neither read nor written where the folder of files is the working folder', async () => {
    const before = Object.keys(kept).map((name) => folder.read(name));
    const key = folder.read('2026-11.pem');
    const all = await told('--files', '.');
    expect(Object.keys(all)).toHaveLength(11);
    for (const [name, text] of Object.entries(all)) {
      expect(text, name).toMatch(/ is refused: /);
      expect(text, name).not.toMatch(/^read|added$/);
    }
    expect(Object.keys(kept).map((name) => folder.read(name))).toEqual(before);
    expect(folder.read('2026-11.pem')).toBe(key);
    expect(existsSync(join(folder.path, 'store/x.json'))).toBe(false);
  });
});
