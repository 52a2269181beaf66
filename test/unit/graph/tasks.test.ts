import { describe, expect, it } from 'vitest';
import { graphMermaid } from '../../../src/graph/graph-mermaid.js';
import { readMermaid } from '../../support/mermaid.js';
import { graphOf, outline } from './outline.js';

/** Its groups with what stands in them, by their labels. */
function groupsOf(source: string, files: Record<string, string> = {}): Record<string, string[]> {
  const { groups, nodes } = graphOf(source, files);
  const within = (id: string): string[] =>
    [...nodes, ...groups].filter(({ group }) => group === id).map(({ label }) => label);
  return Object.fromEntries(groups.map(({ id, label }) => [label, within(id)]));
}

const asking = (what: string): string => `entry = function() Human.approve("${what}") end`;

describe('a file of tasks', () => {
  it('is drawn as a group for each, led to from those that are done before it', () => {
    const source = `
      Task "build" {${asking('Build?')}}
      Task "lint" {depends_on = "build", ${asking('Lint?')}}
      Task "test" {depends_on = {"build", "lint"}, entry = function() return 1 end}`;
    expect(groupsOf(source)).toEqual({
      'task build': ['build', 'Human.approve: Build?', 'end'],
      'task lint': ['lint', 'Human.approve: Lint?', 'end'],
      'task test': ['test', 'return 1'],
    });
    expect(outline(graphOf(source)).filter((edge) => edge.includes('before'))).toEqual([
      'build ~before before~> lint',
      'build ~before before~> test',
      'lint ~before before~> test',
    ]);
  });

  it('nests tasks that are within others, and finds those beside them', () => {
    const source = `
      local index = Task "index" {${asking('Index?')}}
      docs = Task {
        pages = Task {depends_on = {"docs:index"}, ${asking('Pages?')}},
        Task "links" {depends_on = "pages", ${asking('Links?')}},
        plain = {depends_on = ":docs::links", ${asking('Plain?')}},
        index = index,
      }`;
    const groups = groupsOf(source);
    expect(groups['task docs']).toEqual(['task docs:pages', 'task docs:links', 'task docs:plain']);
    expect(outline(graphOf(source)).filter((edge) => edge.includes('before'))).toEqual([
      'index ~before before~> docs:pages',
      'docs:pages ~before before~> docs:links',
      'docs:links ~before before~> docs:plain',
    ]);
  });

  it('draws what a TaskFunction, a function by its name and a procedure do as an entry', () => {
    const source = `
      helper = Procedure {function() Sleep(1) end}
      local function ask() Human.approve("Ask?") end
      local clean = TaskFunction(function(what) Human.approve("Clean " .. what.name .. "?") end)
      Task "clean" {entry = clean {name = "out"}}
      Task "ask" {entry = ask}
      Task "again" {entry = ask}
      Task "itself" {entry = helper}
      Task "named" {entry = "helper"}
      Task "made" {entry = make("x")}
      for i = 1, 3 do Task("t" .. i) {entry = function() Sleep(i) end} end`;
    expect(groupsOf(source)).toEqual({
      'task clean': ['clean', 'Human.approve: Clean …?', 'end'],
      'task ask': ['ask', 'Human.approve: Ask?', 'end'],
      'task again': ['again', 'ask'],
      'task itself': ['itself', 'procedure helper'],
      'task named': ['named', 'procedure helper'],
      'task made': ['made', 'make("x")'],
      'task "t" .. i': ['"t" .. i', 'Sleep i', 'end'],
      'procedure helper': ['helper', 'Sleep 1', 'end'],
    });
    expect(outline(graphOf(source)).filter((edge) => edge.includes('call'))).toEqual([
      'ask ~call calls~> ask',
      'procedure helper ~call calls~> helper',
      'procedure helper ~call calls~> helper',
    ]);
  });

  it('draws the tasks of files that it includes, under their namespace', async () => {
    const files = {
      'parts/docs.tac': `IncludeTasks("more.tac") Task "build" {depends_on = "deep", ${asking('Docs?')}}`,
      'parts/more.tac': `Task "deep" {${asking('Deep?')}}`,
    };
    const source = `IncludeTasks({path = "parts/docs.tac", namespace = "docs"}) Task "run" {depends_on = "docs:build", ${asking('Run?')}}`;
    expect(groupsOf(source, files)).toMatchObject({
      'task docs': ['task docs:deep', 'task docs:build'],
      'task docs:build': ['docs:build', 'Human.approve: Docs?', 'end'],
    });
    const chart = await readMermaid(graphMermaid(graphOf(source, files), 'main.tac'));
    expect(chart.edges.filter(({ label }) => label === 'before')).toHaveLength(2);
    expect([...chart.groups.values()].map(({ label }) => label)).toContain(
      'task docs:build parts/docs.tac:1',
    );
  });

  it('draws those of the file itself where one that it includes leads back', () => {
    const files = { 'more.tac': `IncludeTasks("main.tac", "again") Task "deep" {${asking('Deep?')}}` };
    const source = `IncludeTasks("more.tac", "more") Task "build" {${asking('Build?')}}`;
    expect(Object.keys(groupsOf(source, files))).toEqual(['task more', 'task more:deep', 'task build']);
  });

  it('draws the main procedure beside them', () => {
    const source = `Task "build" {${asking('Build?')}} Procedure {function() Sleep(1) end}`;
    expect(outline(graphOf(source))).toEqual([
      'main -> Sleep 1',
      'Sleep 1 -> end',
      'build -> Human.approve: Build?',
      'Human.approve: Build? -> end',
    ]);
  });

  it('that is run by another is led to by the task that it begins with', () => {
    const files = { 'sub.tac': `Task "other" {${asking('Other?')}} Task "run" {${asking('Run?')}}` };
    const source = 'function main() Procedure.run("sub.tac") end';
    expect(outline(graphOf(source, files))).toContain('Procedure.run sub.tac ~call runs~> run');
  });
});
