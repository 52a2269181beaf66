import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { openEvents } from '../../support/event-source.js';
import { waitUntil } from '../../support/wait-until.js';

interface Serving {
  told: JsonObject;
  url: string;
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('ask.tac', 'Procedure { function() return Human.approve({ message = "go on?" }) end }');
});
afterAll(() => folder.close());

async function serve(...args: string[]): Promise<Serving> {
  const child = folder.start(['serve', '--port', '0', '--json', ...args]);
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const told = await firstLine(child);
  return {
    told,
    url: told['url'] as string,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

function firstLine(child: ChildProcess): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));
    child.stdout?.on('data', (data: Buffer) => {
      stdout += data.toString();
      try {
        resolve(JSON.parse(stdout) as JsonObject);
      } catch {
        // There is more to come.
      }
    });
    child.on('close', () => reject(new Error(`it ended: ${stderr}`)));
  });
}

async function json(url: string, body?: object, headers: Record<string, string> = {}): Promise<JsonObject> {
  const init = {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  };
  return (await (await fetch(url, init)).json()) as JsonObject;
}

describe('serve', () => {
  it('works for runs of the embedded server, tells where it listens, and ends cleanly', async () => {
    const { told, url, stop } = await serve();
    expect(told).toMatchObject({
      host: '127.0.0.1',
      authentication: ['trusted-namespace'],
      namespaces: ['default'],
    });
    const page = await (await fetch(`${url}/requests/served%2F0`)).text();
    const [, script = ''] = /src="([^"]*)"/.exec(page) ?? [];
    expect((await fetch(`${url}${script}`)).headers.get('cache-control')).toContain('immutable');
    const api = `${url}/api/v1/namespaces/default`;
    expect(await json(`${api}/runs`, { procedure: 'ask', run_id: 'served' })).toMatchObject({
      run_id: 'served',
    });
    const events = await openEvents(`${api}/runs/served/events`);
    await events.until(({ data }) => data['status'] === 'waiting_for_human', 30_000);
    expect((await folder.runHere(['respond', 'served/0', 'y', '--json'])).json()).toMatchObject({
      outcome: 'accepted',
    });
    await events.until(({ event }) => event === 'end');
    expect((await folder.runHere(['result', 'served', '--json'])).json()).toMatchObject({ output: true });
    expect(await stop('SIGINT')).toBe(0);

    // What runs outlives it.
    const again = await serve();
    await json(`${again.url}/api/v1/namespaces/default/runs`, { procedure: 'ask', run_id: 'later' });
    const pending = `${again.url}/api/v1/namespaces/default/requests`;
    expect(await json(pending)).toMatchObject({ source: 'index' });
    await waitUntil(async () => JSON.stringify(await json(pending)).includes('later/0'));
    expect(await again.stop()).toBe(0);
    expect((await folder.runHere(['pending', '--json'])).json()).toMatchObject({
      pending: [{ id: 'later/0' }],
    });
  });

  it('goes on when its server was killed, which comes back by itself', async () => {
    const { url, stop } = await serve();
    const api = `${url}/api/v1/namespaces/default`;
    await json(`${api}/runs`, { procedure: 'ask', run_id: 'bereft' });
    await waitUntil(async () => JSON.stringify(await json(`${api}/requests`)).includes('bereft/0'));
    const { pid } = (await folder.runHere(['server', 'status', '--json'])).json();
    process.kill(Number(pid), 'SIGKILL');
    const decided = (): Promise<JsonObject> =>
      json(`${api}/requests/bereft%2F0/decide`, { value: true, id: 'once' });
    await waitUntil(
      async () => ['accepted', 'duplicate'].includes((await decided())['outcome'] as string),
      60_000,
    );
    expect((await folder.runHere(['result', 'bereft', '--json'])).json()).toMatchObject({ output: true });
    expect(await stop()).toBe(0);
  });

  it('asks for tokens that configuration has', async () => {
    const made = (await folder.runHere(['serve', 'token', 'ann', '--json'])).json();
    const { token, hash } = made as { token: string; hash: string };
    folder.write('.tactus/config.yml', `server:\n  tokens:\n    - name: ann\n      hash: ${hash}\n`);
    const { told, url, stop } = await serve();
    expect(told['authentication']).toEqual(['token']);
    expect(await json(`${url}/api/v1/me`)).toMatchObject({ code: 'unauthenticated' });
    expect(await json(`${url}/api/v1/me`, undefined, { authorization: `Bearer ${token}` })).toMatchObject({
      name: 'ann',
    });
    const { port } = told as { port: number };
    const described = await folder.runHere(['serve', 'openapi']);
    expect(JSON.parse(described.stdout)).toEqual(await json(`${url}/api/v1/openapi.json`));
    const second = await folder.runHere(['serve', '--port', String(port), '--json']);
    expect(second).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('something else listens there') as string,
    });
    expect(await stop()).toBe(0);
  });

  it('refuses to let others in without asking who they are, and what is wrong', async () => {
    folder.write('.tactus/config.yml', 'server: {}\n');
    const refused = async (...args: string[]) => {
      const ended = await folder.runHere(['serve', '--port', '0', ...args, '--json']);
      return [ended.code, (ended.json()['error'] as JsonObject)['message']];
    };
    expect(await refused('--host', '0.0.0.0')).toEqual([
      2,
      expect.stringContaining("could decide in anybody's name"),
    ]);
    expect(await refused('--port', 'x')).toEqual([2, expect.stringContaining('--port takes a number')]);
    folder.write('.tactus/config.yml', 'server:\n  tokns: []\n');
    expect(await refused()).toEqual([2, expect.stringContaining('server')]);
  });
});
