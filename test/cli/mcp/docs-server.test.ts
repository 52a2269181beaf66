import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../../support/code-blocks.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { mcpClient, type McpClient } from '../../support/mcp-client.js';

/** What a coding agent is asked for, and what the documents must tell it for that. */
interface AgentTask {
  file: string;
  task: string;
  /** What somebody would search for. */
  query: string;
  /** Names that the found sections must have. */
  needs: string[];
}

const fixtures = resolve('test/fixtures/agent-tasks');
const tasks = JSON.parse(readFileSync(join(fixtures, 'tasks.json'), 'utf8')) as AgentTask[];

let folder: CliFolder;
let docs: McpClient;

beforeAll(async () => {
  folder = cliFolder();
  docs = await mcpClient(folder, ['--docs']);
});
afterAll(async () => {
  await docs.client.close();
  await folder.close();
});

async function call(
  name: string,
  given: Record<string, unknown>,
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await docs.client.callTool({ name, arguments: given });
  const [first] = content as { text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}

describe('the documents by MCP', () => {
  it('are found by what somebody would type, and read by page and heading', async () => {
    const { tools } = await docs.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_docs', 'read_doc']);
    const found = await call('search_docs', { query: 'budget_exhausted', limit: 3 });
    expect(found.text.match(/^## docs\/.* · /gm)).toHaveLength(3);
    expect(found.text).toContain('docs/errors/budget_exhausted.md');
    const whole = await call('read_doc', { page: 'docs/playground.md' });
    expect(whole.text).toBe(readFileSync('docs/playground.md', 'utf8').replaceAll('\n\n\n', '\n\n'));
    const part = await call('read_doc', { page: 'docs/testing.md', heading: 'Built-in steps' });
    expect(part.text).toMatch(/^## Built-in steps\n/);
    expect(part.text.length).toBeLessThan(readFileSync('docs/testing.md', 'utf8').length);
    const long = await call('read_doc', { page: 'docs/language.md' });
    expect(long.text).toMatch(/Cut here: read one heading of it\.$/);
  });

  it.each([
    ['search_docs', {}, 'needs query'],
    ['search_docs', { query: '   ' }, 'needs query'],
    ['search_docs', { query: 'x', limit: 0 }, 'limit must be'],
    ['search_docs', { query: 'x', limit: 'all' }, 'limit must be'],
    ['read_doc', {}, 'needs page'],
    ['read_doc', { page: '../../etc/passwd' }, 'There is no page'],
    ['read_doc', { page: 'docs/testing.md', heading: 'Nothing' }, 'It has: '],
    ['read_doc', { page: 'docs/testing.md', heading: 7 }, 'heading must be a text'],
  ])('%s says what is wrong with %o', async (name, given, problem) => {
    expect(await call(name, given)).toMatchObject({
      isError: true,
      text: expect.stringContaining(problem) as string,
    });
  });

  it('say so where nothing fits, and take a query of any size', async () => {
    expect((await call('search_docs', { query: 'zzzzqqqq' })).text).toMatch(
      /^Nothing fits\. Pages: README\.md, /,
    );
    expect((await call('search_docs', { query: 'approve '.repeat(20_000) })).isError).toBe(false);
  });
});

it('mcp takes procedures, or the documents, and not both', async () => {
  for (const args of [['mcp'], ['mcp', '--docs', 'pay.tac']]) {
    const wrong = await folder.runHere([...args, '--json']);
    expect([wrong.code, wrong.stdout]).toEqual([2, expect.stringContaining('or --docs alone')]);
  }
});

describe('a coding agent', () => {
  it.each(tasks)('finds what it needs: $task', async ({ query, needs }) => {
    const { text } = await call('search_docs', { query, limit: 8 });
    const read: string[] = [];
    for (const [, page = '', heading = ''] of text.matchAll(/^## (\S+) · (.*)$/gm))
      read.push((await call('read_doc', { page, heading })).text);
    for (const need of needs) expect(read.join('\n'), need).toContain(need);
  });

  it.each(tasks)(
    'has a solution that is valid and passes its tests, crashes included: $file',
    async ({ file }) => {
      folder.write(file, readFileSync(join(fixtures, file), 'utf8'));
      const valid = await folder.runHere(['validate', file, '--json']);
      expect(valid.code, valid.stdout).toBe(0);
      expect(valid.stdout).not.toContain('"severity": "warning"');
      const tested = await folder.runHere(['test', file, '--mock', '--crash-everywhere', '--json']);
      expect(tested.code, tested.stdout + tested.stderr).toBe(0);
      expect(tested.json()).toMatchObject({ failed: 0 });
    },
  );
});

describe('the skill', () => {
  const skill = readFileSync('skills/tactus/SKILL.md', 'utf8');

  it('has a file that passes, and names commands, pages and flags that there are', async () => {
    const [procedure = ''] = codeBlocks('skills/tactus/SKILL.md', 'lua');
    folder.write('skill.tac', procedure);
    const tested = await folder.runHere(['test', 'skill.tac', '--mock', '--crash-everywhere', '--json']);
    expect(tested.json(), tested.stdout).toMatchObject({ passed: 2, failed: 0 });
    for (const [, page = ''] of skill.matchAll(/`(docs\/[\w/.-]+\.md)`/g))
      expect(page === 'docs/errors/CODE.md' || existsSync(page), page).toBe(true);
    for (const [, command = '', rest = ''] of skill.matchAll(/npx tactus-temporal (\w+)([^`\n]*)/g)) {
      const help = (await folder.runHere(['help', command])).stdout;
      expect(help, command).toContain(`Usage: tactus-temporal ${command}`);
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(help, `${command} ${flag}`).toContain(flag);
    }
  });
});
