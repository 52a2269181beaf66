import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { shapeProblems } from '../../support/shared-shapes.js';

/** The commands that work with runs, by their exit codes and their JSON, on one embedded server. As processes: `processes.test.ts`. */

const greet = `
Procedure {
  input = {
    user_message = field.string{required = true}, n = field.integer{default = 3}, loud = field.boolean{},
    tags = field.array{}, size = field.number{},
  },
  output = { said = field.string{}, n = field.integer{}, loud = field.boolean{}, tags = field.array{}, size = field.number{} },
  function(input)
    print("hello " .. input.user_message)
    Log.info("greeted", {n = input.n})
    return { said = input.user_message, n = input.n, loud = input.loud, tags = input.tags, size = input.size }
  end
}`;
const ask = `
function main()
  state.asked = 1
  print("asking")
  local name = Human.input("Your name?")
  local sure = Human.approve({message = "Sure?", context = {name = name}, approvers = {"alice"}})
  local verdict = Human.review({message = "Good?", artifact = name})
  return {name = name, sure = sure, verdict = verdict.decision}
end`;
const files = {
  'greet.tac': greet,
  'ask.tac': ask,
  'fail.tac': 'function main()\n  print("before")\n  error("boom")\nend',
  'broken.tac': 'function main(',
  'keyless.tac': 'a = Agent { model = "openai/gpt-5-mini" }\nfunction main() return a("hi").output end',
  'mocked.tac':
    'a = Agent { model = "openai/gpt-5-mini" }\nMocks { a = { message = "hi" } }\nfunction main() return a("hi").output end',
  'slow.tac': 'function main() Sleep(600) return 1 end',
  'short.tac': 'function main() print("a") Sleep(1) print("b") return "done" end',
  'parent.tac': 'function main() return Procedure.run("child.tac", {}) end',
  'child.tac': 'function main() return {ok = Human.approve("Child?")} end',
};
const viewKeys = [
  ...['run_id', 'procedure', 'status', 'output', 'state', 'error', 'pending', 'checkpoints', 'usage'],
  ...['printed', 'logs', 'started_at', 'closed_at'],
];

let folder: CliFolder;

beforeAll(async () => {
  folder = cliFolder();
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  await folder.runHere(['server', 'start']);
});
afterAll(() => folder?.close());

async function json(args: string[], code: number): Promise<JsonObject> {
  const ended = await folder.runHere([...args, '--json']);
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
  const answer = ended.json();
  expect(shapeProblems(args[0] ?? '', answer)).toEqual([]);
  return answer;
}

function first(list: JsonValue | undefined): JsonObject {
  return ((list ?? []) as JsonObject[])[0] ?? {};
}

describe('run', () => {
  it('converts parameters as the procedure declares them', async () => {
    folder.write('input.json', '{"user_message": "from a file", "n": 1}');
    const params = [
      '--param',
      'n=7',
      '--param',
      'loud=yes',
      '--param',
      'tags=["a", 1]',
      '--param',
      'size=1.5',
    ];
    const view = await json(['run', 'greet.tac', '--input', '@input.json', ...params], 0);
    expect(Object.keys(view)).toEqual(expect.arrayContaining(viewKeys));
    expect(view).toMatchObject({
      procedure: 'greet',
      status: 'completed',
      output: { said: 'from a file', n: 7, loud: true, tags: ['a', 1], size: 1.5 },
      printed: ['hello from a file'],
      logs: [{ level: 'info', message: 'greeted', context: { n: 7 } }],
      error: null,
      pending: [],
    });
  });

  it.each([
    [['greet.tac'], 'Missing required field: user_message', 'input_invalid'],
    [
      ['greet.tac', '--param', 'user_message=x', '--param', 'n=many'],
      '--param n takes a number',
      'input_invalid',
    ],
    [
      ['greet.tac', '--param', 'user_message=x', '--param', 'other=1'],
      '--param other: the procedure has no such input; there are user_message',
      'input_invalid',
    ],
    [['greet.tac', '--param', 'user_message'], '--param takes name=value', 'usage'],
    [['greet.tac', '--input', '{"user_message": '], '--input is not JSON', 'usage'],
    [['greet.tac', '--input', '@missing.json'], "missing.json can't be read", 'usage'],
    [['nowhere.tac'], 'There is no file nowhere.tac', 'source_not_found'],
    [['broken.tac'], 'broken.tac:', 'source_invalid'],
    [['keyless.tac'], 'OPENAI_API_KEY', 'missing_key'],
    [['mocked.tac'], '(or OPENAI_API_KEY_FILE), or run it with --mock', 'missing_key'],
    [
      ['greet.tac', '--param', 'user_message=x', '--timeout', 'soon'],
      '--timeout must be a duration',
      'usage',
    ],
    [
      ['greet.tac', '--param', 'user_message=x', '--namespace', 'nowhere'],
      'has no namespace nowhere',
      'usage',
    ],
    [['greet.tac', '--colour'], "unknown option '--colour'", 'usage'],
  ])('refuses %j with nothing started', async (args, message, code) => {
    const ended = await folder.runHere(['run', ...args, '--id', 'refused', '--json']);
    expect(ended.code).toBe(2);
    expect(first([ended.json()['error'] ?? null])).toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
    expect(ended.stderr).toContain(message);
  });

  it('has started nothing of what it refused', async () => {
    expect(await json(['list', '--prefix', 'refused'], 0)).toEqual({
      source: 'index',
      runs: [],
      next: null,
    });
  });

  it('fails with the Lua file, line and traceback', async () => {
    const view = await json(['run', 'fail.tac'], 1);
    expect(view).toMatchObject({
      status: 'failed',
      printed: ['before'],
      error: { code: 'lua_error', file: 'fail.tac', line: 3 },
    });
    const plain = await folder.runHere(['run', 'fail.tac']);
    expect(plain.stdout).toBe('before\n');
    expect(plain.stderr).toContain('fail.tac:3: boom');
  });

  it('gives a closed run for its id again, and refuses another input or source', async () => {
    const start = ['run', 'greet.tac', '--id', 'once', '--param', 'user_message=one'];
    expect(await json(start, 0)).toMatchObject({ output: { said: 'one' } });
    const again = await folder.runHere(start);
    expect(again.code).toBe(0);
    expect(again.stdout).not.toContain('hello one\n');
    expect(JSON.parse(again.stdout)).toMatchObject({ said: 'one' });
    const other = await json(['run', 'greet.tac', '--id', 'once', '--param', 'user_message=two'], 2);
    expect(other['error']).toMatchObject({ code: 'run_conflict' });
    expect((await json(['run', 'fail.tac', '--id', 'once'], 2))['error']).toMatchObject({
      code: 'run_conflict',
    });
    expect(await json(['run', 'fail.tac', '--id', 'failed'], 1)).toMatchObject({ status: 'failed' });
    expect(await json(['run', 'fail.tac', '--id', 'failed'], 1)).toMatchObject({ error: { line: 3 } });
  });

  it('stops at the first wait for a person, not at a timer, and names open runs', async () => {
    expect(await json(['run', 'short.tac'], 0)).toMatchObject({ output: 'done', printed: ['a', 'b'] });
    const late = await json(['run', 'slow.tac', '--timeout', '1s'], 1);
    expect(late).toMatchObject({ status: 'timed_out', pending: [], waits: [] });
    expect(late['closed_at']).not.toBeNull();
    const waiting = await json(['run', 'ask.tac', '--id', 'open'], 3);
    expect(waiting).toMatchObject({ status: 'waiting_for_human', closed_at: null, state: { asked: 1 } });
    expect(first(waiting['pending'])).toMatchObject({ id: 'open/0', kind: 'input', message: 'Your name?' });
    const next = await folder.runHere(['run', 'ask.tac']);
    expect(next.code).toBe(3);
    expect(next.stderr).toContain('tactus-temporal resume open');
    expect(next.stdout).toBe('asking\n');
  });

  it('takes answers in order, for child runs too', async () => {
    const answers = ['--respond', '"Ada"', '--respond', 'true', '--respond', '"approve"'];
    const view = await json(['run', 'ask.tac', ...answers], 3);
    // The second request is for alice alone: the answer doesn't count, and the request stays open.
    expect(first(view['pending'])).toMatchObject({
      kind: 'approval',
      approvers: ['alice'],
      context: { name: 'Ada' },
    });
    expect(await json(['run', 'parent.tac', '--respond', 'true'], 0)).toMatchObject({ output: { ok: true } });
    const child = await json(['run', 'parent.tac', '--id', 'family'], 3);
    expect(child).toMatchObject({ status: 'waiting_for_children' });
    const { pending } = await json(['pending', 'family'], 0);
    expect(pending).toEqual([expect.objectContaining({ run_id: 'family/0', message: 'Child?' })]);
  });

  it('asks for a worker that goes on before it detaches', async () => {
    const ended = await json(
      ['run', 'greet.tac', '--param', 'user_message=x', '--detach', '--id', 'alone'],
      4,
    );
    expect(ended['error']).toMatchObject({ code: 'no_worker' });
    expect((await folder.runHere(['status', 'alone'])).code).toBe(2);
  });
});

describe('decisions', () => {
  it('have one outcome each', async () => {
    await json(['start', 'ask.tac', '--id', 'asked'], 0);
    await json(['resume', 'asked'], 3);
    const pending = await json(['pending', 'asked'], 0);
    expect(pending['pending']).toHaveLength(1);
    expect(first(pending['pending'])).toMatchObject({
      id: 'asked/0',
      run_id: 'asked',
      position: '0',
      options: [],
    });

    expect(await json(['respond', 'asked/0', 'Grace', '--comment', 'hi'], 0)).toMatchObject({
      id: 'asked/0',
      outcome: 'accepted',
    });
    expect(await json(['respond', 'asked/0', 'Grace'], 0)).toMatchObject({ outcome: 'duplicate' });
    expect(await json(['respond', 'asked/0', 'Ada'], 2)).toMatchObject({ outcome: 'late' });
    expect(await json(['respond', 'asked/1', 'y'], 2)).toMatchObject({ outcome: 'not_allowed' });
    expect(await json(['respond', 'asked/1', 'perhaps', '--as', 'alice'], 2)).toMatchObject({
      outcome: 'invalid',
    });
    expect(await json(['respond', 'asked/1', 'yes', '--as', 'alice'], 0)).toMatchObject({
      outcome: 'accepted',
    });
    expect(await json(['respond', 'nobody/1', 'y'], 2)).toMatchObject({ outcome: 'unknown' });
    expect(await json(['control', '--respond', 'revise'], 0)).toMatchObject({ outcome: 'accepted' });
    expect(await json(['result', 'asked'], 0)).toMatchObject({
      output: { name: 'Grace', sure: true, verdict: 'revise' },
    });
    // The run has ended, and still knows what it was told.
    expect(await json(['respond', 'asked/0', 'Grace'], 0)).toMatchObject({ outcome: 'duplicate' });
    expect(await json(['respond', 'asked/0', 'Ada'], 2)).toMatchObject({ outcome: 'late' });
    expect(await json(['respond', 'asked/9', 'Ada'], 2)).toMatchObject({ outcome: 'unknown' });
    expect(await json(['respond', 'asked', 'Ada'], 2)).toMatchObject({ error: { code: 'request_unknown' } });
  });
});

describe('what is known of runs', () => {
  it('shows status, log and state of a closed run', async () => {
    expect(await json(['status', 'asked'], 0)).toMatchObject({
      status: 'completed',
      state: { asked: 1 },
      checkpoints: 3,
    });
    const log = await json(['log', 'asked'], 0);
    expect(Object.keys(log)).toEqual(
      expect.arrayContaining(['procedure_id', 'status', 'replay_index', 'state']),
    );
    expect(log['execution_log']).toHaveLength(3);
    expect(first(log['execution_log'])).toMatchObject({
      position: '0',
      type: 'hitl_input',
      status: 'completed',
      source: { file: 'ask.tac', line: 5 },
    });
    const drawn = await folder.runHere(['log', 'asked', '--mermaid']);
    expect(drawn.stdout).toMatch(/^flowchart TD\n/);
    expect(await json(['state', 'asked'], 0)).toMatchObject({ run_id: 'asked', state: { asked: 1 } });
  });

  it('lists by status, procedure and prefix', async () => {
    const all = (await json(['list', '--procedure', 'ask'], 0))['runs'] as JsonObject[];
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const run of all) expect(Object.keys(run)).not.toContain('output');
    const asked = await json(['list', '--prefix', 'ask', '--status', 'completed'], 0);
    expect(asked).toMatchObject({
      runs: [{ run_id: 'asked', status: 'completed', checkpoints: 3 }],
      next: null,
    });
    const table = await folder.runHere(['list', '--status', 'failed']);
    expect(table.stdout).toContain('failed');
    expect(table.stdout).not.toContain('completed');
    const page = await json(['list', '--limit', '2'], 0);
    expect(page['runs']).toHaveLength(2);
    expect(page['next']).not.toBeNull();
  });

  it('sends events', async () => {
    folder.write('paid.tac', 'local paid = Event.wait("paid", { timeout = "1h" })\nreturn { paid = paid }');
    await json(['start', 'paid.tac', '--id', 'paying'], 0);
    expect(await json(['send', 'paying', 'other', 'plain text'], 0)).toEqual({
      run_id: 'paying',
      event: 'other',
      value: 'plain text',
    });
    expect(await json(['status', 'paying'], 0)).toMatchObject({ waits: [{ kind: 'event', name: 'paid' }] });
    await json(['send', 'paying', 'paid', '{"amount": 40}'], 0);
    expect(await json(['result', 'paying'], 0)).toMatchObject({ output: { paid: { amount: 40 } } });
    expect((await json(['send', 'paying', 'paid'], 2))['error']).toMatchObject({ code: 'run_conflict' });
    expect((await json(['send', 'nobody', 'paid'], 2))['error']).toMatchObject({ code: 'run_not_found' });
    expect((await json(['send', 'paying', 'paid', '@no.json'], 2))['error']).toMatchObject({ code: 'usage' });
  });

  it('says something to an agent', async () => {
    folder.write(
      'steered.tac',
      'writer = Agent { model = "local/smollm2-135m-instruct" }\nlocal go = Event.wait("go")\nreturn { go = go }',
    );
    await json(['start', 'steered.tac', '--id', 'steered'], 0);
    expect(await json(['steer', 'steered', 'Be brief', '--agent', 'writer', '--as', 'ann'], 0)).toEqual({
      run_id: 'steered',
      message: 'Be brief',
      agent: 'writer',
      by: 'ann',
    });
    expect((await json(['steer', 'steered', ' '], 2))['error']).toMatchObject({ code: 'usage' });
    await json(['send', 'steered', 'go', '1'], 0);
    await json(['result', 'steered'], 0);
    expect((await json(['steer', 'steered', 'Late'], 2))['error']).toMatchObject({ code: 'run_conflict' });
  });

  it('ends a run at once, and says why to whoever looks later', async () => {
    await json(['start', 'slow.tac', '--id', 'ended'], 0);
    expect(await json(['terminate', 'ended', '--reason', 'a mistake'], 0)).toMatchObject({
      status: 'terminated',
      error: { code: 'cancelled' },
    });
    expect(await json(['result', 'ended'], 1)).toMatchObject({ status: 'terminated' });
    const again = await folder.runHere(['terminate', 'ended']);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the run had ended (terminated)') as string,
    });
    expect((await json(['terminate', 'nobody'], 2))['error']).toMatchObject({ code: 'run_not_found' });
  });

  it('answers in the name that is given', async () => {
    folder.write(
      'two.tac',
      'Procedure { function() return { Human.approve("A?"), Human.approve("B?") } end }',
    );
    await json(['run', 'two.tac', '--id', 'named', '--respond', 'true', '--as', 'ann@example.com'], 3);
    await json(['resume', 'named', '--respond', 'true', '--as', 'bob'], 0);
    const log = (await json(['log', 'named'], 0))['execution_log'] as JsonObject[];
    expect(log.map(({ result }) => (result as JsonObject)['by'])).toEqual(['ann@example.com', 'bob']);
  });

  it('cancels', async () => {
    await json(['start', 'slow.tac', '--id', 'slow'], 0);
    expect(await json(['result', 'slow', '--timeout', '1s'], 3)).toMatchObject({
      status: 'waiting_for_time',
    });
    expect(await json(['cancel', 'slow'], 0)).toMatchObject({
      status: 'cancelled',
      error: { code: 'cancelled' },
    });
    expect(await json(['status', 'slow'], 0)).toMatchObject({ status: 'cancelled', pending: [] });
    expect(await json(['result', 'slow'], 1)).toMatchObject({ status: 'cancelled' });
    expect(await json(['cancel', 'asked'], 1)).toMatchObject({ status: 'completed' });
    for (const command of ['status', 'log', 'state', 'result', 'resume', 'cancel'])
      expect((await json([command, 'nobody'], 2))['error'], command).toMatchObject({ code: 'run_not_found' });
  });
});

describe('a worker that goes on', () => {
  it('takes detached runs, and ends when it is told to', async () => {
    const worker = await folder.worker();
    const started = await json(['run', 'greet.tac', '--param', 'user_message=far', '--detach'], 0);
    expect(started).toMatchObject({ procedure: 'greet', status: 'running' });
    expect(await json(['result', started['run_id'] as string], 0)).toMatchObject({ output: { said: 'far' } });
    expect(await worker.stop()).toBe(0);
  });

  it('is interrupted without harm to the run', async () => {
    const following = folder.start(['run', 'slow.tac', '--id', 'left']);
    let said = '';
    following.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    const ended = new Promise<number | null>((resolve) => following.on('close', resolve));
    while (!(await folder.runHere(['status', 'left'])).stdout.includes('waiting for time')) continue;
    following.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(said).toContain('tactus-temporal resume left');
    expect(await json(['status', 'left'], 0)).toMatchObject({ status: 'waiting_for_time' });
  });
});
