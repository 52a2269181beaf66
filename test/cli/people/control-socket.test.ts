import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { framed, MessageReader } from '../../../src/cli/people/control-plane.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { runOnTerminal, type OnTerminal } from '../../support/on-terminal.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { tactusControl } from '../../support/tactus-control.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const command = tactusControl();
const required = process.env['TACTUS_CONTROL_TEST'] === 'required';
const server = serverWithWorker(startDevServer);

let folder: CliFolder;
let socket: string;
let listening: ChildProcess;
let said = '';
const terminals: OnTerminal[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = cliFolder();
  socket = join(folder.path, 'c.sock');
  listening = listen('--socket', socket, '--as', 'zoe');
  listening.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  await waitUntil(() => Promise.resolve(said.includes('Listening at')));
});
afterEach(async () => {
  for (const each of terminals.splice(0)) await each.kill();
  for (const each of sockets.splice(0)) each.destroy();
});
afterAll(async () => {
  listening.kill('SIGTERM');
  if (listening.exitCode === null) await once(listening, 'close');
  await folder.close();
});

function listen(...args: string[]): ChildProcess {
  return folder.start(['control-socket', '--address', server.env.address, ...args]);
}

async function ask(body: string): Promise<TactusRun> {
  const run = await server.tactus.start(procedureOf(body));
  await pendingOf(run);
  return run;
}

async function answered(run: TactusRun): Promise<JsonObject> {
  const { execution_log: log } = await run.log();
  return log[0]?.result as JsonObject;
}

/** A client of our own: what it was told, in order. */
async function connect(
  path = socket,
): Promise<{ told: JsonObject[]; say: (message: JsonObject) => void; socket: Socket }> {
  const client = createConnection(path);
  sockets.push(client);
  const told: JsonObject[] = [];
  const reader = new MessageReader();
  client.on('data', (bytes: Buffer) => told.push(...reader.read(bytes)));
  await once(client, 'connect');
  return { told, say: (message) => void client.write(framed(message)), socket: client };
}

const response = (id: string, value: JsonValue): JsonObject => ({
  type: 'control.response',
  request_id: id,
  value,
});

describe('the socket', () => {
  it('is for this user alone, and one that nobody listens at is taken over', async () => {
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const left = join(folder.path, 'left.sock');
    const dead = folder.start(['control-socket', '--address', server.env.address, '--socket', left]);
    await waitUntil(() => Promise.resolve(existsSync(left)));
    dead.kill('SIGKILL');
    await once(dead, 'close');
    expect(existsSync(left)).toBe(true);
    const next = listen('--socket', left);
    let shown = '';
    next.stderr?.on('data', (data: Buffer) => (shown += data.toString()));
    await waitUntil(() => Promise.resolve(shown.includes('Listening at')));
    next.kill('SIGTERM');
    await once(next, 'close');
    expect(next.exitCode).toBe(0);
    expect(existsSync(left)).toBe(false);
  });

  it('is refused where another process answers, or something else lies', async () => {
    const file = join(folder.path, 'file.sock');
    writeFileSync(file, 'mine');
    for (const [path, reason] of [
      [socket, 'another process answers there already'],
      [file, 'there is something else'],
      [join(folder.path, 'none', 'c.sock'), 'there is no folder'],
    ] as const) {
      const ended = await folder.run(['control-socket', '--address', server.env.address, '--socket', path]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(reason);
    }
    expect(statSync(file).isFile()).toBe(true);
  });

  it('lists what is open, says why an answer does not count, and cuts off what speaks otherwise', async () => {
    const run = await ask('return Human.approve { message = "Only ann?", approvers = { "ann" } }');
    const other = await ask('return Human.approve { message = "Well?" }');
    const id = `${other.runId}/0`;
    const client = await connect();
    await waitUntil(() => Promise.resolve(client.told.length === 2));
    client.say({ type: 'control.list' });
    await waitUntil(() => Promise.resolve(client.told.length === 3));
    expect(client.told[2]).toMatchObject({
      type: 'control.list_response',
      requests: [{}, { request_id: id }],
    });
    expect(client.told[1]).toMatchObject({
      namespace: 'default',
      request_type: 'approval',
      default_value: null,
    });
    client.say(response(`${run.runId}/0`, true));
    await waitUntil(() => Promise.resolve(client.told.length === 4));
    expect(client.told[3]).toMatchObject({ reason: expect.stringContaining('not allowed: "zoe"') as string });
    // As often as this one says it, it isn't taken for a yes.
    for (let i = 0; i < 4; i++) client.say(response(id, 'true'));
    await waitUntil(() => Promise.resolve(client.told.length === 4 + 4 + 2));
    client.say(response(id, false));
    expect(await other.result()).toBe(false);
    client.say(response(id, true));
    const last = (): string => JSON.stringify(client.told.at(-1));
    await waitUntil(() => Promise.resolve(last().includes('"late')));
    expect(await server.tactus.decide({ request: `${run.runId}/0`, value: true, by: 'ann' })).toMatchObject({
      outcome: 'accepted',
    });
    await waitUntil(() => Promise.resolve(last().includes('"decided elsewhere')));
    const odd = await connect();
    odd.socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(odd.socket, 'close');
    expect(said).toContain('cut off');
  });

  it('shows a vote of this user once, while others must agree', async () => {
    const run = await ask('return Human.approve { message = "Both?", quorum = 2 }');
    const client = await connect();
    await waitUntil(() => Promise.resolve(client.told.length === 1));
    client.say(response(`${run.runId}/0`, true));
    await waitUntil(() => Promise.resolve(said.includes('counted: 1 of 2')));
    // The look that finds the next one finds this one, too.
    const next = await ask('return Human.approve { message = "Next?" }');
    await waitUntil(() => Promise.resolve(client.told.length === 2));
    expect(client.told[1]).toMatchObject({ request_id: `${next.runId}/0` });
    client.say(response(`${next.runId}/0`, true));
    expect(await next.result()).toBe(true);
    expect(await server.tactus.decide({ request: `${run.runId}/0`, value: true, by: 'ann' })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await run.result()).toBe(true);
  });
});

describe.skipIf(command === null && !required)('`tactus control` of the reference', () => {
  const control = (...args: string[]): OnTerminal => {
    const place = { cwd: folder.path, env: folder.command.env, longestMs: 60_000 };
    const terminal = runOnTerminal([...(command ?? []), ...args], place, { columns: 400, rows: 40 });
    terminals.push(terminal);
    return terminal;
  };

  it('is there where it must be', () => {
    expect(command).not.toBeNull();
  });

  it('answers each kind of question of a run', async () => {
    const run = await ask(`return {
      Human.approve { message = "Is [/] this [bold]safe[/bold]?", default = true },
      Human.select { message = "Which?", options = { { label = "One", value = 1 }, { label = "Two", value = 2 } } },
      Human.select { message = "Which ones?", options = { "a", "b", "c" }, mode = "multiple" },
      Human.input { message = "Name?" },
      Human.review { message = "Good?", artifact = "text", options = { "approve", "reject" } },
      Human.upload { message = "File?", accept = { ".txt" } },
      Human.multiple {
        { id = "sure", label = "Sure", type = "approval", message = "Sure?" },
        { id = "why", label = "Why", type = "input", message = "Why?" },
      },
      Human.escalate { message = "Look!" } == nil,
    }`);
    folder.write('a.txt', 'text');
    const terminal = control('--socket', socket);
    for (const [question, keys] of [
      ['Is [/] this [bold]safe[/bold]?', 'y'],
      ['Which?', '2'],
      ['Which ones?', 'a,c'],
      ['Name?', 'Eve'],
      ['Good?', '2'],
      ['File?', join(folder.path, 'a.txt')],
      ['Sure?', '{"sure": true, "why": "so"}'],
      ['Look!', 'seen'],
    ] as const) {
      await terminal.shows(question);
      terminal.type(`${keys}\r`);
    }
    expect(await run.result()).toEqual([
      true,
      2,
      ['a', 'c'],
      'Eve',
      expect.objectContaining({ decision: 'reject' }) as unknown,
      expect.objectContaining({ name: 'a.txt', size: 4 }) as unknown,
      { sure: true, why: 'so' },
      true,
    ]);
    expect(await answered(run)).toMatchObject({ value: true, by: 'zoe' });
  });

  it('is told why an answer does not count, and asks again', async () => {
    const run = await ask(
      'return Human.multiple { { id = "n", label = "N", type = "input", message = "N?" } }',
    );
    const terminal = control('--socket', socket);
    await terminal.shows('Enter value');
    terminal.type('three\r');
    await terminal.shows('asks several things: answer with JSON');
    terminal.type('{"n": "3"}\r');
    expect(await run.result()).toEqual({ n: '3' });
  });

  it('sees several runs, one after the other, and what others decide meanwhile', async () => {
    const first = await ask('return Human.approve { message = "First?" }');
    const terminal = control('--socket', socket);
    await terminal.shows('First?');
    const second = await ask('return Human.approve { message = "Second?" }');
    terminal.type('n\r');
    expect(await first.result()).toBe(false);
    await terminal.shows('Second?');
    const other = await connect();
    await waitUntil(() => Promise.resolve(other.told.length === 1));
    other.say(response(`${second.runId}/0`, true));
    expect(await second.result()).toBe(true);
    terminal.type('n\r');
    await terminal.shows('was cancelled: decided by another client');
  });

  it('finds the socket by itself, and answers by a flag', async () => {
    const own = listen('--quiet');
    let shown = '';
    own.stderr?.on('data', (data: Buffer) => (shown += data.toString()));
    await waitUntil(() => Promise.resolve(shown.includes('Listening at')));
    const path = /Listening at (\S+):/.exec(shown)?.[1] ?? '';
    expect(path).toMatch(/^\/tmp\/tactus-control-temporal-[0-9a-f]{12}\.sock$/);
    const run = await ask('return Human.approve { message = "By a flag?" }');
    control('--socket', path, '--respond', 'y');
    expect(await run.result()).toBe(true);
    own.kill('SIGTERM');
    await once(own, 'close');
    rmSync(path, { force: true });
  });
});
