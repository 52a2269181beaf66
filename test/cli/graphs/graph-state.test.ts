import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { startReceiver } from '../../support/message-receiver.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const graph = `main = Graph {
  channels = { notes = Graph.append, answer = Graph.last, total = function(current, update) return (current or 0) + update end },
  entrypoint = "plan",
  nodes = {
    plan = function(state) return { writes = { notes = { "begun" } }, next = { "left", "right" } } end,
    left = function(state)
      return { writes = { notes = { "l" }, total = 1 }, ledger = { { topic = "seen", key = "l", data = { n = 1 } } }, next = { "join" } }
    end,
    right = function(state)
      return { writes = { notes = { "r" }, total = 2 }, ledger = { { topic = "seen", key = "r", data = { n = 2 } } }, next = { "join", "ask" } }
    end,
    join = function(state) return { writes = { notes = { "joined" } } } end,
    ask = function(state)
      local ok = Graph.interrupt("ask", { question = "send?" })
      return { writes = { answer = ok.yes and "sent" or "kept" } }
    end,
  },
}`;

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('graph.tac', graph);
});
afterAll(() => folder?.close());

async function stateOf(thread: string, ...flags: string[]): Promise<JsonObject> {
  const ended = await folder.runHere(['graph-state', thread, ...flags, '--json']);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
}

const stepsOf = ({ snapshots }: JsonObject): unknown[] =>
  (snapshots as { metadata: { step: number; source: string }; next_tasks: string[] }[]).map(
    ({ metadata: { step, source }, next_tasks: next }) => [step, source, next],
  );

describe('graph-state', () => {
  const loop = [
    [0, 'input', ['plan']],
    [1, 'loop', ['left', 'right']],
    [2, 'loop', ['join', 'ask']],
  ];

  it('shows the super-steps of a run whose main part is a graph, and the one that waits', async () => {
    const started = await folder.run([
      'run',
      'graph.tac',
      '--id',
      'thread',
      '--input',
      '{"notes":["given"]}',
      '--json',
    ]);
    expect(started.code, started.stderr).toBe(3);
    expect(started.json()['pending']).toMatchObject([
      { kind: 'input', message: 'ask', context: { question: 'send?' } },
    ]);

    const waiting = await stateOf('thread');
    expect(stepsOf(waiting)).toEqual([...loop, [3, 'interrupted', ['ask']]]);
    const snapshots = waiting['snapshots'] as JsonObject[];
    expect(snapshots.at(-1)).toMatchObject({
      values: { notes: ['given', 'begun', 'l', 'r'], total: 3 },
      metadata: { writes: { join: { notes: ['joined'] } } },
      interrupts: [{ node: 'ask', reason: 'ask', payload: { question: 'send?' } }],
      parent_checkpoint_id: snapshots[2]?.['checkpoint_id'],
    });

    const decided = await folder.run(['respond', 'thread/0.0.3.0.1.0.0', '{"yes":true}']);
    expect(decided.code, decided.stderr).toBe(0);
    const ended = await folder.run(['result', 'thread', '--json']);
    expect(ended.json()['output']).toEqual({
      notes: ['given', 'begun', 'l', 'r', 'joined'],
      total: 3,
      answer: 'sent',
    });
    const over = await stateOf('thread');
    // What was interrupted stays as it was, and what is complete is a child of it.
    expect(stepsOf(over)).toEqual([...loop, [3, 'interrupted', ['ask']], [3, 'loop', []]]);
    expect((over['snapshots'] as JsonObject[]).slice(0, 4)).toEqual(snapshots);
    const ids = (over['snapshots'] as JsonObject[]).map((each) => each['checkpoint_id']);
    expect(ids.slice(3)).toEqual(['thread/0.0.3~1.0.0', 'thread/0.0.3']);
    expect((over['snapshots'] as JsonObject[]).map((each) => each['parent_checkpoint_id'])).toEqual([
      null,
      ...ids.slice(0, -1),
    ]);
  });

  it('has the next turn where the run is started again with another input, once for each message', async () => {
    folder.write(
      'turns.tac',
      'return Graph { channels = { n = Graph.append }, nodes = { a = function() return {} end } }',
    );
    const start = (input: string, ...flags: string[]) =>
      folder.run(['run', 'turns.tac', '--id', 'turns', '--input', input, ...flags, '--json']);
    const outputs = [];
    for (const [input, ...flags] of [
      ['{"n":[1]}'],
      ['{"n":[2]}'],
      ['{"n":[2]}'],
      ['{"n":[2]}', '--message-id', 'm'],
      ['{"n":[3]}', '--message-id', 'm'],
    ] as [string, ...string[]][]) {
      const ended = await start(input, ...flags);
      expect(ended.code, ended.stderr).toBe(0);
      outputs.push((ended.json()['output'] as JsonObject)['n']);
    }
    expect(outputs).toEqual([[1], [1, 2], [1, 2], [1, 2, 2], [1, 2, 2]]);
    const steps = stepsOf(await stateOf('turns')) as [number, string][];
    expect(steps.map(([step, source]) => [step, source])).toEqual([
      [0, 'input'],
      [1, 'loop'],
      [2, 'input'],
      [3, 'loop'],
      [4, 'input'],
      [5, 'loop'],
    ]);
    const refused = await folder.run(['run', 'turns.tac', '--message-id', 'm']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--message-id needs --id')]);
  });

  it('shows all events for the ledger', async () => {
    expect(await stateOf('thread', '--ledger')).toEqual({
      ledger: [
        { topic: 'seen', key: 'l', data: { n: 1 }, step: 2 },
        { topic: 'seen', key: 'r', data: { n: 2 }, step: 2 },
      ],
    });
    expect(await stateOf('thread', '--ledger', '--topic', 'seen', '--after', '1')).toMatchObject({
      ledger: [{ key: 'r', number: 2 }],
    });
    expect(await stateOf('thread', '--ledger', '--topic', 'other')).toEqual({ ledger: [] });
    for (const flags of [
      ['--after', '1'],
      ['--ledger', '--after', '-1'],
      ['--ledger', '--after', 'x'],
    ]) {
      const refused = await folder.runHere(['graph-state', 'thread', ...flags]);
      expect([refused.code, refused.stderr.includes('--after')], refused.stderr).toEqual([2, true]);
    }
  });

  it('shows people who ran, what each wrote and what waited', async () => {
    const { stdout } = await folder.run(['graph-state', 'thread']);
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual([
      'main  input  next: plan  thread/0.0.0',
      'main  step 1  next: left, right  thread/0.0.1',
      '  plan wrote {"notes":["begun"]}',
      'main  step 2  next: join, ask  thread/0.0.2',
      '  left wrote {"notes":["l"],"total":1}',
      '  right wrote {"notes":["r"],"total":2}',
      'main  step 3, interrupted  to complete: ask  thread/0.0.3~1.0.0',
      '  join wrote {"notes":["joined"]}',
      '  ask waits: ask {"question":"send?"}',
      'main  step 3  end  thread/0.0.3',
      '  join wrote {"notes":["joined"]}',
      '  ask wrote {"answer":"sent"}',
      '  ask waited: ask {"question":"send?"}',
    ]);
    const ledger = await folder.runHere(['graph-state', 'thread', '--ledger', '--intents']);
    expect(ledger.stdout).toBe('step 2  seen  l  {"n":1}\nstep 2  seen  r  {"n":2}\nno intents\n');
    const empty = await folder.runHere(['graph-state', 'turns', '--ledger']);
    expect(empty.stdout).toBe('no events in the ledger\n');
  });

  it('shows what became of intents, which go where the configuration of the worker says', async () => {
    const receiver = await startReceiver();
    folder.write('.tactus/config.yml', `outbox:\n  send_text:\n    url: ${receiver.url}/text\n`);
    folder.write(
      'sends.tac',
      `return Graph { nodes = { a = function()
        return { intents = { { type = "send_text", to = "c-1", payload = { text = "hi" } }, { type = "nope" } } }
      end } }`,
    );
    try {
      const ended = await folder.runHere(['run', 'sends.tac', '--id', 'sends']);
      expect(ended.code, ended.stderr).toBe(0);
      const shown = ended.stderr.split('\n').filter((line) => line.includes(' intent '));
      expect(shown).toEqual([
        expect.stringMatching(/^✓ 0\.1\.0 intent send_text \d+ ms$/),
        expect.stringMatching(/^✗ 0\.1\.1 intent nope \d+ ms Intent nope: the worker has no receiver/),
      ]);
      const log = (await folder.runHere(['log', 'sends', '--json'])).json();
      expect(log['execution_log']).toMatchObject([
        ...[{}, {}, {}, {}],
        { type: 'intent', name: 'send_text', status: 'completed', error: null },
        {
          type: 'intent',
          name: 'nope',
          status: 'failed',
          error: expect.stringContaining('no receiver') as string,
        },
        { type: 'graph', status: 'completed' },
      ]);
    } finally {
      await receiver.close();
    }
    expect(receiver.received).toMatchObject([
      { path: '/text', body: { to: 'c-1' }, headers: { 'idempotency-key': 'sends/1/0' } },
    ]);
    expect(await stateOf('sends', '--intents')).toEqual({
      intents: [
        { key: 'sends/1/0', type: 'send_text', payload: { text: 'hi' }, status: 'sent', attempts: 1 },
        {
          ...{ key: 'sends/1/1', type: 'nope', payload: null, status: 'failed', attempts: 1 },
          error: expect.stringContaining('outbox: {nope: {url: ') as string,
        },
      ],
    });
  });

  it('says so where no graph has run', async () => {
    folder.write('plain.tac', 'Procedure { function() return 1 end }');
    expect((await folder.runHere(['run', 'plain.tac', '--id', 'plain'])).code).toBe(0);
    expect((await folder.runHere(['graph-state', 'plain'])).stdout).toBe('no graph has run here\n');
    expect((await folder.runHere(['graph-state', 'nobody'])).code).toBe(2);
  });
});
