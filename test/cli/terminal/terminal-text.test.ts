import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder, type WorkerCommand } from '../../support/cli-folder.js';

/** A procedure whose every text would have a terminal do something. */
const hostile = String.raw`
local evil = "<\27[2J\27[8m\27]52;c;ZXZpbA==\7\27]8;;http://evil.example\27\\\u{9b}2J\u{9d}0;t\u{9c}\u{202e}no\rx\8\8\127>"

helper = Agent { system_prompt = evil }
Mocks { helper = { message = evil } }

Procedure {
  input = { fails = field.boolean{} },
  output = { said = field.string{}, more = field.object{} },
  function(input)
    print("printed" .. evil)
    Log.info("logged" .. evil, { [evil] = evil })
    state[evil] = evil
    local said = helper("hello" .. evil).output
    pcall(File.read, evil)
    local chosen = Human.select({ message = "asked" .. evil, options = { "one" .. evil, "two" }, context = { of = evil } })
    if input.fails then error("failed" .. evil) end
    return { said = said .. chosen, more = { [evil] = evil } }
  end,
}`;
const name = 'ev\u001b[2J\u009b8mil.tac';
// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let folder: CliFolder;
let worker: WorkerCommand;
beforeAll(async () => {
  folder = cliFolder();
  folder.write(name, hostile);
  folder.write('broken.tac', 'local x = "\u001b[2J\u009b8m\u202e" ++ 1\n');
  await folder.runHere(['server', 'start']);
  worker = await folder.worker();
});
afterAll(async () => {
  await worker?.stop();
  await folder?.close();
});

/** Runs a command whose output, all of it, only shows; gives it. */
async function shown(args: readonly string[], code: number): Promise<string> {
  const { stdout, stderr, code: ended } = await folder.runHere(args);
  expect({ ended, stdout, stderr }).toMatchObject({ ended: code });
  expect(stdout).not.toMatch(obeyed);
  expect(stderr).not.toMatch(obeyed);
  return stdout + stderr;
}

async function document(args: readonly string[], code: number): Promise<Record<string, JsonValue>> {
  const text = await shown([...args, '--json', '--quiet'], code);
  return JSON.parse(text) as Record<string, JsonValue>;
}

describe('what a procedure writes', () => {
  it('is seen by whoever follows it, answers it, and looks at it', async () => {
    const run = ['run', name, '--mock', '--id', 'ends'];
    const asked = await shown(run, 3);
    for (const each of ['printed<\ufffd[2J', 'logged<\ufffd[2J', 'asked<\ufffd[2J', 'one<\ufffd[2J'])
      expect(asked).toContain(each);
    expect(await shown(['pending', 'ends'], 0)).toContain('asked<\ufffd[2J');
    expect(await shown(['status', 'ends'], 0)).toContain('asked<\ufffd[2J');
    expect(await shown(['list'], 0)).toContain('ends');
    expect(await shown(['respond', 'ends/4\u001b[2J', 'two'], 2)).toContain('"ends/4\\u001b[2J"');
    expect(await shown(['control', '--respond', 'two'], 0)).toContain('asked<\ufffd[2J');
    expect(await shown(['resume', 'ends'], 0)).toContain('two');
    expect(await shown(['log', 'ends'], 0)).toContain('<\ufffd[2J');
    expect(await shown(['log', 'ends', '--mermaid'], 0)).toContain('flowchart');
    expect(await shown(['state', 'ends'], 0)).toContain('\\u009b2J');
    expect(await shown(['status', 'ends'], 0)).toContain('\\u001b[2J');
  });

  it('is seen when it fails', async () => {
    const run = ['run', name, '--mock', '--id', 'fails', '--param', 'fails=true', '--respond', '"two"'];
    expect(await shown(run, 1)).toContain('failed<\ufffd[2J');
    expect(await shown(['status', 'fails'], 0)).toContain('failed<\ufffd[2J');
    expect(await shown(['result', 'fails'], 1)).toContain('failed<\ufffd[2J');
    expect(await shown(['status', 'no\u001b[2Jbody'], 2)).toContain('no\ufffd[2Jbody');
  });

  it('means the same in JSON', async () => {
    const evil = '<\u001b[2J\u001b[8m\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://evil.example\u001b\\';
    const view = await document(['status', 'ends'], 0);
    const [line = ''] = view['printed'] as string[];
    expect(line).toContain(`printed${evil}\u009b2J\u009d0;t\u009c\u202eno\rx\b\b\u007f>`);
    const failed = await document(['status', 'fails'], 0);
    expect((failed['error'] as { message: string }).message).toContain(`failed${evil}`);
    for (const command of ['log', 'state', 'pending']) await document([command, 'ends'], 0);
    await document(['list'], 0);
  });
});

it('what stands in files, flags and names is seen', async () => {
  expect(await shown(['validate', 'broken.tac'], 1)).toContain('\ufffd[2J\ufffd8m\ufffd');
  expect(await shown(['validate', name], 0)).toContain('ev\ufffd[2J\ufffd8mil.tac');
  expect(await shown(['graph', name], 0)).toContain('flowchart');
  expect(await shown(['format', 'no\u001b[2Jfile.tac'], 2)).toContain('no\ufffd[2Jfile.tac');
  expect(await shown(['run', name, '--n\u001b[2J'], 2)).toContain('--n\ufffd[2J');
  expect(await shown(['server', 'start', '--n\u009b2J'], 2)).toContain('--n\ufffd2J');
  await shown(['run', name, '--n\u009b2J', '--json'], 2);
});

it('nothing but the command itself moves the cursor of a terminal', async () => {
  const terminal = folder.terminal(['run', name, '--mock', '--id', 'on-terminal', '--param', 'fails=true']);
  await terminal.shows('two');
  terminal.type('\r');
  expect(await terminal.ended).toBe(1);
  // Without the colours and cursor movements of our own, which have the form of those that were written.
  const screen = terminal.screen().replaceAll('\r\n', '\n');
  for (const what of ['printed', 'logged', 'asked', 'one', 'failed'])
    expect(screen).toContain(`${what}<\ufffd[2J\ufffd[8m\ufffd]52;c;ZXZpbA==\ufffd\ufffd]8;;`);
  expect(screen).not.toMatch(obeyed);
});
