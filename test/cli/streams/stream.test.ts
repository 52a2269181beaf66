import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/contract/streams/stream-event.js';
import { cliFolder, type CliFolder, type WorkerCommand } from '../../support/cli-folder.js';
import { startNats, type TestNats } from '../../support/nats-server.js';
import { serverWithProvider } from '../../support/server-with-provider.js';

/** `stream`: what a worker elsewhere says, through a broker. */

const around = serverWithProvider();
let nats: TestNats;
let folder: CliFolder;
let worker: WorkerCommand;

beforeAll(async () => {
  nats = await startNats();
  folder = cliFolder({ ...around.env, TEMPORAL_ADDRESS: around.server.env.address });
  folder.write('.tactus/config.yml', `streams: ${nats.address}`);
  folder.write(
    'talk.tac',
    `look = Tool { description = "Looks", input = {}, function() return "seen" end }
    talker = Agent { model = "openai/gpt-x", system_prompt = "Talk", tools = { look } }
    Procedure { function() return talker("Hello").output end }`,
  );
  worker = await folder.worker();
});
afterAll(async () => {
  await worker?.stop();
  await nats?.kill();
});

it('shows texts as they come, calls of tools, and what came after an offset', async () => {
  around.provider.reply(
    { toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
    { slowly: { text: 'Good day to you, and to all of yours' }, everyMs: 20 },
  );
  const started = await folder.runHere(['start', 'talk.tac', '--id', 'talk', '--json']);
  expect(started.code).toBe(0);
  const lines = await folder.run(['stream', 'talk', '--json']);
  expect({ code: lines.code, stderr: lines.stderr }).toEqual({ code: 0, stderr: '' });
  const events = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEvent);
  expect(events.map(({ event }) => event.type).filter((type) => type !== 'text')).toEqual([
    'tool_call',
    'answer',
    'tool_result',
    'answer',
  ]);
  expect((await folder.runHere(['stream', 'talk'])).stdout).toBe(
    '→ look {}\n← look seen\ntalker · 0.2\nGood day to you, and to all of yours\n',
  );
  const after = await folder.runHere(['stream', 'talk', '--after', String(events.at(-2)?.offset), '--json']);
  expect(after.stdout.trim()).toBe(lines.stdout.trim().split('\n').at(-1));
});

it.each([
  ['of a run that is not there', ['stream', 'nobody'], {}, /nobody/],
  ['after what is no offset', ['stream', 'talk', '--after', 'now'], {}, /--after takes a positive integer/],
])('ends with 2 %s', async (_, args, env, problem) => {
  const { code, stderr } = await folder.runHere(args, { env });
  expect(code).toBe(2);
  expect(stderr).toMatch(problem);
});

it('says how a broker is named where none is', async () => {
  const other = cliFolder({ TEMPORAL_ADDRESS: around.server.env.address });
  const { code, stderr } = await other.runHere(['stream', 'talk']);
  expect(code).toBe(2);
  expect(stderr).toContain('TACTUS_TEMPORAL_STREAMS=nats://host:port');
});
