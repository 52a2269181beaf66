import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../../src/lua-bridge/tools/built-in-tools.js';
import { validateSource } from '../../../../src/validation/index.js';
import { collectSource } from '../../../../src/sources/collect-source.js';
import { converse, toolCall } from '../../../support/converse.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const refunds = `---
name: refunds
description: >
  How money is
  paid back
license: MIT
---

# Refunds

Never more than 50.
`;
const files = {
  'skills/refunds/SKILL.md': refunds,
  'skills/tone/skill.md': 'Be kind.',
  'more/SKILL.md': '---\nname: "more \\"of\\" it"\ndescription: \'it\'\'s more\'\n---\nMore.',
};

const agent = (fields: string): string =>
  `clerk = Agent { model = "openai/gpt-x", system_prompt = "You answer customers.", ${fields} }
   local r = clerk("hello") return r.output`;

describe('skills of an agent', () => {
  it('are told by their names and what they are for, and read when they are needed', () => {
    const { calls, output, program } = converse(
      agent('skills = { "./skills" }'),
      [{ toolCalls: [toolCall('read_skill', { name: 'refunds' })] }, { text: 'fine' }],
      { files },
    );
    expect(output).toBe('fine');
    expect(calls[0]?.system).toBe(
      [
        'You answer customers.',
        '',
        '<available_skills>',
        '  Before you do what a skill is about, call read_skill with its name.',
        '  <skill>',
        '    <name>refunds</name>',
        '    <description>How money is paid back</description>',
        '    <path>skills/refunds/SKILL.md</path>',
        '  </skill>',
        '  <skill>',
        '    <name>tone</name>',
        '    <description></description>',
        '    <path>skills/tone/skill.md</path>',
        '  </skill>',
        '</available_skills>',
      ].join('\n'),
    );
    expect(calls[0]?.tools.map(({ name }) => name)).toEqual(['read_skill']);
    expect(calls[1]?.messages.at(-1)?.content).toBe('# Refunds\n\nNever more than 50.');
    const turn = program.log.entries.find(({ type }) => type === 'agent_turn');
    expect(turn?.input).toMatchObject({
      skills: {
        refunds: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
        tone: expect.anything() as unknown,
      },
    });
  });

  it('stand in the prompt whole where the file wants that', () => {
    const { calls } = converse(
      agent('skills = "skills/refunds/SKILL.md", skills_mode = "full"'),
      [{ text: 'ok' }],
      {
        files,
      },
    );
    expect(calls[0]?.system).toContain(
      '    <instructions>\n      # Refunds\n      \n      Never more than 50.\n',
    );
    expect(calls[0]?.tools).toEqual([]);
  });

  it.each([
    ['skills = { "./nowhere" }', 'skills: there is no SKILL.md in "./nowhere"'],
    ['skills = { "skills" }, skills_mode = "some"', 'skills_mode must be "metadata" or "full", got "some"'],
  ])('%s is refused', (fields, problem) => {
    expect(converse(agent(fields), [], { files }).output).toContain(problem);
  });

  it('have no effect in a run of before', () => {
    const { calls } = converse(agent('skills = { "./skills" }'), [{ text: 'ok' }], { files, engine: 3 });
    expect(calls[0]).toMatchObject({ system: 'You answer customers.', tools: [] });
  });

  it('that isn’t there is told to the model', () => {
    const { calls } = converse(
      agent('skills = { "more" }'),
      [{ toolCalls: [toolCall('read_skill', { name: 'secrets' })] }, { text: 'ok' }],
      { files },
    );
    expect(calls[0]?.system).toContain(`<name>more "of" it</name>\n    <description>it's more</description>`);
    expect(calls[1]?.messages.at(-1)?.content).toContain(String.raw`there is no skill \"secrets\"`);
  });
});

it('a frontmatter gives the texts at its top level', () => {
  const text =
    '---\r\na: plain # not this\r\nb: |\r\n  two\r\n  lines\r\nc:\r\n  - list\r\n__proto__: x\r\n---\r\nbody\r\n---\r\nmore';
  const { fields, body } = readFrontmatter(text);
  expect(Object.entries(fields)).toEqual([
    ['a', 'plain'],
    ['b', 'two\nlines'],
    ['c', '- list'],
  ]);
  expect(body).toBe('body\n---\nmore');
  expect(readFrontmatter('---\nname: x\nno end')).toEqual({ fields: {}, body: '---\nname: x\nno end' });
});

it('skills travel with the procedure that names them, and nothing else of their folders', async () => {
  const folder = temporaryFolder('skills');
  const all = {
    ...files,
    'skills/refunds/secret.txt': 'no',
    'skills/.hidden/SKILL.md': 'no',
    'other/SKILL.md': 'no',
    'main.tac': 'a = Agent { skills = { "./skills", "more/SKILL.md", "../outside" } }',
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const source = await collectSource(folder, 'main.tac');
  expect(Object.keys(source.files).sort()).toEqual(['main.tac', ...Object.keys(files)].sort());
});

it('validate finds skills that are there, and those that are not', () => {
  const text = (place: string): string =>
    `a = Agent { system_prompt = "s", skills = "${place}", skills_mode = "full" }\nreturn a("x").output`;
  const found = (place: string): string[] =>
    validateSource({ entry: 'main.tac', files: { ...files, 'main.tac': text(place) } }).diagnostics.map(
      ({ code, message }) => `${code}: ${message}`,
    );
  expect(found('./skills')).toEqual([]);
  expect(found('./skill')).toEqual([expect.stringContaining('there is no SKILL.md in "./skill"')]);
});
