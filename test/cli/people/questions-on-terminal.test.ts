import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder, type WorkerCommand } from '../../support/cli-folder.js';
import type { OnTerminal } from '../../support/on-terminal.js';

/** Each kind of question, with what answers it at a keyboard and what the procedure is given. */
const kinds: { question: string; keys: string[]; value: unknown }[] = [
  { question: 'Human.approve("QUESTION")', keys: ['y'], value: true },
  { question: 'Human.approve("QUESTION")', keys: ['\r'], value: false },
  { question: 'Human.input("QUESTION")', keys: ['h', 'ö', '✓', '\r'], value: 'hö✓' },
  {
    question: 'Human.select({ message = "QUESTION", options = { "one", "two", "three" } })',
    keys: ['\u001b[B', '\u001b[B', '\r'],
    value: 'three',
  },
  {
    question:
      'Human.select({ message = "QUESTION", options = { "one", "two", "three" }, mode = "multiple" })',
    keys: [' ', '\u001b[B', ' ', '\r'],
    value: ['one', 'two'],
  },
  {
    question: 'Human.review({ message = "QUESTION", artifact = "text" })',
    keys: ['\u001b[B', '\r', 'n', 'o', '\r'],
    value: { decision: 'reject', feedback: 'no' },
  },
  {
    question: `Human.multiple({ message = "QUESTION", items = {
      { id = "name", label = "Name", type = "input", message = "Who?" },
      { id = "ok", label = "Ok", type = "approval", message = "Well?" } } })`,
    keys: ['m', 'e', '\r', 'y'],
    value: { name: 'me', ok: true },
  },
  { question: 'Human.escalate({ message = "QUESTION" }) or "settled"', keys: ['\r'], value: 'settled' },
];
const rounds = 3;
const asked = Array.from({ length: rounds }, () => kinds)
  .flat()
  .map((kind, i) => ({ ...kind, text: `Number ${i} of all?` }));

const source = `Procedure { function()
  local got = {}
  ${asked.map(({ question, text }) => `got[#got + 1] = ${question.replace('QUESTION', text)}`).join('\n')}
  return got
end }`;

let folder: CliFolder;
let worker: WorkerCommand;
beforeAll(async () => {
  folder = cliFolder();
  folder.write('all.tac', source);
  folder.write(
    'two.tac',
    'Procedure { function() return { Human.approve("The first?"), Human.input("The second?") } end }',
  );
  await folder.runHere(['server', 'start']);
  worker = await folder.worker();
});
afterAll(async () => {
  await worker?.stop();
  await folder?.close();
});

/** Answers all questions as they come; `pauseMs`: between two keys. */
async function answerAll(terminal: OnTerminal, pauseMs: number): Promise<void> {
  for (const { text, keys } of asked) {
    await terminal.shows(text);
    if (pauseMs === 0) terminal.type(keys.join(''));
    for (const key of pauseMs === 0 ? [] : keys) {
      await delay(pauseMs);
      terminal.type(key);
    }
  }
}

async function expectAnswered(terminal: OnTerminal, id: string): Promise<void> {
  expect(await terminal.ended, terminal.screen()).toBe(0);
  const { code, json } = await folder.runHere(['result', id, '--json']);
  expect(code).toBe(0);
  expect(json()['output']).toEqual(asked.map(({ value }) => value));
}

/** How often a person who scrolls up sees the question itself: what answered it names it once more. */
async function timesDrawn(terminal: OnTerminal, text: string): Promise<number> {
  const lines = await terminal.drawn();
  return lines.filter((line) => /[◆◇]/.test(line) && line.includes(text)).length;
}

describe('many questions, one after the other', () => {
  it('are answered at the speed of a machine', async () => {
    const terminal = folder.terminal(['run', 'all.tac', '--id', 'fast']);
    await answerAll(terminal, 0);
    await expectAnswered(terminal, 'fast');
    for (const { text } of asked) expect(await timesDrawn(terminal, text), text).toBe(1);
  });

  it('are answered at the speed of a person, on a narrow terminal', async () => {
    const terminal = folder.terminal(['run', 'all.tac', '--id', 'slow'], { columns: 40, rows: 15 });
    await answerAll(terminal, 60);
    await expectAnswered(terminal, 'slow');
    for (const { text } of asked) expect(await timesDrawn(terminal, text), text).toBe(1);
  });
});

describe('between questions', () => {
  it('what is typed is meant for neither, and is not shown', async () => {
    const terminal = folder.terminal(['run', 'two.tac', '--id', 'typed']);
    await terminal.shows('The first?');
    terminal.type('yes\r');
    await terminal.shows('The second?');
    terminal.type('ok\r');
    expect(await terminal.ended).toBe(0);
    expect((await folder.runHere(['result', 'typed', '--json'])).json()['output']).toEqual([true, 'ok']);
    expect((await terminal.drawn()).filter((line) => /^es/.test(line))).toEqual([]);
  });

  it('a decision from elsewhere withdraws a question, and the next one is asked', async () => {
    const terminal = folder.terminal(['run', 'two.tac', '--id', 'elsewhere']);
    await terminal.shows('The first?');
    expect((await folder.runHere(['respond', 'elsewhere/0', 'true'])).code).toBe(0);
    await terminal.shows('Answered elsewhere');
    await terminal.shows('The second?');
    terminal.type('here\r');
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect((await folder.runHere(['result', 'elsewhere', '--json'])).json()['output']).toEqual([
      true,
      'here',
    ]);
  });
});

describe('Ctrl-C', () => {
  it.each([
    ['at the first question', ''],
    ['right after an answer', 'y'],
    ['before what was typed with it', '\u0003y'],
  ])('%s leaves the run alone, and the terminal as it was', async (_, typed) => {
    const id = `left-${typed.length}`;
    const terminal = folder.terminal(['run', 'two.tac', '--id', id]);
    await terminal.shows('The first?');
    terminal.type(typed);
    terminal.type('\u0003');
    expect(await terminal.ended, terminal.screen()).toBe(130);
    expect(terminal.screen()).toContain(`tactus-temporal resume ${id}`);
    expect(terminal.modes()).toEqual({ canonical: true, echo: true });
  });

  it('and being told to end by a signal come to the same', async () => {
    const terminal = folder.terminal(['run', 'two.tac', '--id', 'told']);
    await terminal.shows('The first?');
    terminal.signal('SIGTERM');
    expect(await terminal.ended, terminal.screen()).toBe(130);
    expect(terminal.modes()).toEqual({ canonical: true, echo: true });
  });
});

it('a terminal that is made narrower while a question stands shows it once', async () => {
  const size = { columns: 100, rows: 30, resized: { columns: 40, rows: 15 } };
  const terminal = folder.terminal(['run', 'two.tac', '--id', 'resized'], size);
  await terminal.shows('The first?');
  terminal.resize();
  await delay(200);
  terminal.type('y');
  await terminal.shows('The second?');
  terminal.type('ok\r');
  expect(await terminal.ended).toBe(0);
  for (const text of ['The first?', 'The second?']) expect(await timesDrawn(terminal, text), text).toBe(1);
});
