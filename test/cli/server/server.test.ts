import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write('one.tac', 'function main() return 1 end');
});
afterAll(() => folder?.close());

async function server(...args: string[]): Promise<JsonObject> {
  const ended = await folder.run(['server', ...args, '--json']);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 100 && !(await isSo()); i++) await wait(100);
}

describe('the embedded server', () => {
  it('starts once, however many ask for it, and stops', async () => {
    expect(await server('status')).toEqual({ running: false });
    const started = await Promise.all([server('start'), server('start'), server('start')]);
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1);
    expect(await server('status')).toMatchObject({ running: true, pid: started[0]?.['pid'] });
    const page = await fetch(started[0]?.['ui'] as string);
    expect(page.status).toBe(200);
    expect(await server('stop')).toEqual({ running: false, stopped: true });
    expect(await server('status')).toEqual({ running: false });
    expect(await server('stop')).toEqual({ running: false, stopped: false });
  });

  it.each(['keeper_pid', 'pid'])(
    'survives a kill -9 of its %s with all runs, at the same address',
    async (victim) => {
      const id = `before-${victim}`;
      const before = await server('start');
      expect((await folder.run(['run', 'one.tac', '--id', id])).stdout).toBe('1\n');
      process.kill(Number(before[victim]), 'SIGKILL');
      // What has killed it is noticed: until then, its record still stands.
      await until(async () => (await server('status'))['pid'] !== before['pid']);
      expect((await folder.run(['result', id])).stdout).toBe('1\n');
      expect((await server('status'))['address']).toBe(before['address']);
    },
  );

  it('that is killed while a run is followed is missed soon, and told in plain words', async () => {
    folder.write('slow.tac', 'function main() Sleep("1h") return 1 end');
    const { pid, keeper_pid: keeper } = await server('start');
    const terminal = folder.terminal(['run', 'slow.tac', '--id', 'bereft']);
    await until(async () => (await folder.run(['status', 'bereft'])).stdout.includes('waiting for time'));
    for (const each of [keeper, pid]) process.kill(Number(each), 'SIGKILL');
    const killedAt = Date.now();
    await terminal.shows('yet; still trying …');
    // 3 seconds on a quiet machine; then the silence was up to 54.
    expect(Date.now() - killedAt).toBeLessThan(25_000);
    expect(await terminal.ended).toBe(4);
    expect(terminal.screen()).toMatch(/error The Temporal server .*doesn't answer any more/);
    expect(terminal.screen()).toContain('to go on: npx tactus-temporal resume bereft');
    expect(terminal.screen()).not.toContain('Resolution note');
    expect((await folder.run(['cancel', 'bereft'])).code).toBe(0);
  });

  it('of an older version, which lets pages of the web in, is started anew at the same address', async () => {
    const before = await server('start');
    const file = '.tactus-temporal/server.json';
    const { pages_kept_out: keptOut, ...older } = JSON.parse(folder.read(file)) as JsonObject;
    expect(keptOut).toBe(true);
    folder.write(file, JSON.stringify(older));
    const after = await server('start');
    expect(after).toMatchObject({ address: before['address'], pages_kept_out: true });
    expect(after['pid']).not.toBe(before['pid']);
  });

  it('stops when nobody has used it for a while', async () => {
    await server('stop');
    await server('start', '--idle', '1s');
    await until(async () => (await server('status'))['running'] === false);
    expect(await server('status')).toEqual({ running: false });
  });

  it('is not asked for where another server is named, which then must answer', async () => {
    const ended = await folder.run(['run', 'one.tac', '--address', '127.0.0.1:1', '--json']);
    expect(ended.code).toBe(4);
    expect(ended.json()['error']).toMatchObject({ code: 'server_unreachable' });
    expect(ended.stderr).toMatch(/127\.0\.0\.1:1; waited/);
    expect(await server('status')).toEqual({ running: false });
  });

  it('says that no worker answers, and how long it waited', async () => {
    const { address } = await server('start');
    const started = await folder.run(['start', 'one.tac', '--id', 'lonely', '--address', address as string]);
    expect(started.code, started.stderr).toBe(0);
    const ended = await folder.run(['status', 'lonely', '--json'], {
      env: { TEMPORAL_ADDRESS: address as string },
    });
    expect(ended.code).toBe(4);
    expect(ended.json()['error']).toMatchObject({ code: 'no_worker' });
    expect(ended.stderr).toMatch(/waited \d+ s/);
  });

  it('is healthy, says the doctor', async () => {
    const ended = await folder.run(['doctor', '--json'], { env: { OPENAI_API_KEY: 'sk-canary' } });
    expect(ended.code).toBe(0);
    expect(ended.stdout).not.toContain('sk-canary');
    expect(ended.json()).toMatchObject({ healthy: true });
    const broken = await folder.run(['doctor', '--address', '127.0.0.1:1']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('127.0.0.1:1');
  });
});
