import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { shapeProblems } from '../../support/shared-shapes.js';
import { readMermaid } from '../../support/mermaid.js';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write(
    'flow/ask.tac',
    'local m = require("mod")\nProcedure { function()\n  if Human.approve("Go?") then m.wait() end\nend }\n',
  );
  folder.write('flow/mod.tac', 'local M = {}\nfunction M.wait() Sleep(1) end\nreturn M\n');
  folder.write(
    'tasks.tac',
    'IncludeTasks("flow/build.tac", "docs")\nTask "run" {depends_on = "docs:build", entry = function() Sleep(2) end}\n',
  );
  folder.write('flow/build.tac', 'Task "build" {entry = function() Human.approve("Go?") end}\n');
  folder.write('broken.tac', 'function main()\n  return {\nend\n');
  folder.write('needs-broken.tac', 'require("broken")\nfunction main() Sleep(1) end\n');
  folder.write('empty.tac', '-- nothing\n');
  const many = Array.from({ length: 600 }, (_, i) => `Sleep(${i})`);
  folder.write('large.tac', `function main()\n${many.join('\n')}\nend\n`);
});
afterAll(() => folder.close());

describe('graph', () => {
  it('prints Mermaid and nothing else, with lines of all files', async () => {
    const drawn = await folder.run(['graph', 'flow/ask.tac']);
    expect([drawn.code, drawn.stderr]).toEqual([0, '']);
    const { nodes, groups } = await readMermaid(drawn.stdout);
    expect([...nodes.values()]).toEqual(
      expect.arrayContaining(['ask :2', 'Human.approve: Go? :3', 'm.wait :3', 'Sleep 1 mod.tac:2']),
    );
    expect([...groups.values()].map(({ label }) => label)).toEqual(['function M.wait mod.tac:2']);
  });

  it('draws tasks with those of included files, and what is done before what', async () => {
    const drawn = await folder.runHere(['graph', 'tasks.tac']);
    expect([drawn.code, drawn.stderr]).toEqual([0, '']);
    const { nodes, groups, edges } = await readMermaid(drawn.stdout);
    expect([...groups.values()].map(({ label }) => label).toSorted()).toEqual([
      'task docs :1',
      'task docs:build flow/build.tac:1',
      'task run :2',
    ]);
    const before = edges.filter(({ label }) => label === 'before');
    expect(before.map(({ from, to }) => [nodes.get(from), nodes.get(to)])).toEqual([
      ['docs:build flow/build.tac:1', 'run :2'],
    ]);
    expect([...nodes.values()]).toEqual(
      expect.arrayContaining(['Human.approve: Go? flow/build.tac:1', 'Sleep 2 :2']),
    );
  });

  it('gives the graph as JSON', async () => {
    const drawn = await folder.runHere(['graph', 'flow/ask.tac', '--json']);
    const { mermaid, nodes, edges, groups } = drawn.json();
    expect(mermaid).toMatch(/^flowchart TD\n/);
    expect(nodes).toContainEqual({
      ...{ id: 'n1', kind: 'human', label: 'Human.approve: Go?', file: 'flow/ask.tac', line: 3, group: null },
    });
    expect(edges).toContainEqual({ from: 'n2', to: 'n3', kind: 'flow', label: 'yes' });
    expect(groups).toContainEqual({
      ...{ id: 'g0', kind: 'function', label: 'function M.wait', file: 'flow/mod.tac', line: 2, group: null },
    });
  });

  it.each([
    ['broken.tac', 'broken.tac:3:1 error', 'broken.tac', 3],
    ['needs-broken.tac', 'broken.tac:3:1 error', 'broken.tac', 3],
    ['empty.tac', 'The file has no code', 'empty.tac', 1],
  ])('says of %s what validate says', async (file, message, where, line) => {
    const drawn = await folder.runHere(['graph', file, '--json']);
    const validated = await folder.runHere(['validate', file, '--json']);
    expect([drawn.code, drawn.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(drawn.json()).toMatchObject({ error: { code: 'source_invalid', file: where, line } });
    expect(validated.json()['diagnostics']).toEqual(drawn.json()['diagnostics']);
  });

  it('says that a graph is larger than Mermaid draws by itself', async () => {
    const drawn = await folder.runHere(['graph', 'large.tac']);
    expect([drawn.code, drawn.stderr]).toEqual([0, expect.stringContaining('maxEdges')]);
    expect((await folder.runHere(['graph', 'large.tac', '--quiet'])).stderr).toBe('');
  });

  it('refuses a file that is not there', async () => {
    const drawn = await folder.runHere(['graph', 'nowhere.tac']);
    expect([drawn.code, drawn.stderr]).toEqual([2, expect.stringContaining('There is no file nowhere.tac')]);
  });

  it('has in its JSON what the HTTP API draws', async () => {
    for (const file of ['flow/ask.tac', 'tasks.tac', 'empty.tac', 'broken.tac']) {
      const answer = (await folder.run(['graph', file, '--json'])).json();
      expect(shapeProblems('graph', answer)).toEqual([]);
    }
  });
});
