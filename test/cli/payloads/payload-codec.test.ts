import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { aesCodec } from '../../support/aes-codec.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { codecModule } from '../../support/codec-module.js';
import { waitUntil } from '../../support/wait-until.js';
import { codecServer, type CodecServer } from '../../support/codec-server.js';

/** Every word that nobody may read on the server has this in it. */
const secret = 'Hyacinth';
const approve = `
Procedure {
  input = { name = field.string{} },
  function(input)
    state.of = input.name
    local ok, problem = pcall(File.read, "none/${secret}.txt")
    state.problem = tostring(problem)
    File.write("${secret}.txt", input.name)
    if input.name == "${secret} fails" then error("${secret} of a failure") end
    local answer = Human.input("Which ${secret}?")
    print("${secret} " .. answer)
    return { answer = answer, read = File.read("${secret}.txt") }
  end,
}`;
const { History } = proto.temporal.api.history.v1;

let folder: CliFolder;
const text = (name: string): string => folder.read(name);

async function history(id: string): Promise<Buffer> {
  const { address } = (await folder.runHere(['server', 'status', '--json'])).json() as { address: string };
  const connection = await Connection.connect({ address });
  try {
    const handle = new Client({ connection }).workflow.getHandle(id);
    return Buffer.from(History.encode(await handle.fetchHistory()).finish());
  } finally {
    await connection.close();
  }
}

async function done(args: readonly string[], code = 0): Promise<JsonObject> {
  const ended = await folder.runHere([...args, '--json', '--quiet']);
  expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(code);
  return ended.json();
}

/** Everything that a person does with a run, from its start on. */
async function wholeLife(): Promise<void> {
  const started = await done(['run', 'ask.tac', '--id', 'r1', '--param', `name=${secret}`], 3);
  expect(started).toMatchObject({ status: 'waiting_for_human' });
  expect(await done(['status', 'r1'])).toMatchObject({ state: { of: secret } });
  expect(await done(['state', 'r1'])).toMatchObject({ state: { of: secret } });
  const { pending } = (await done(['pending'])) as { pending: { id: string; message: string }[] };
  expect(pending).toMatchObject([{ message: `Which ${secret}?` }]);
  const answered = await done(['respond', pending[0]?.id ?? '', 'the blue one']);
  expect(answered).toMatchObject({ outcome: 'accepted' });
  const output = { answer: 'the blue one', read: secret };
  expect(await done(['result', 'r1'])).toMatchObject({ output, printed: [`${secret} the blue one`] });
  const log = JSON.stringify(await done(['log', 'r1']));
  expect(log).toContain(`Which ${secret}?`);
  expect(await done(['list'])).toMatchObject({ runs: [{ run_id: 'r1', status: 'completed' }] });
  expect(await done(['replay', 'r1'])).toMatchObject({ problems: [], output });

  await done(['fork', 'r1', '--at', '2', '--id', 'f1']);
  expect(await done(['resume', 'f1'], 3)).toMatchObject({ pending: [{ message: `Which ${secret}?` }] });
  expect(await done(['cancel', 'f1'])).toMatchObject({ run_id: 'f1' });

  await done(['export', 'r1', '--out', 'r1.json']);
  await done(['import', 'r1.json', '--source', 'ask.tac', '--id', 'i1', '--dry-run']);
  const failed = await done(['run', 'ask.tac', '--id', 'x1', '--param', `name=${secret} fails`], 1);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'lua_error' } });
  expect(JSON.stringify(failed)).toContain(`${secret} of a failure`);

  const seen = await Promise.all(['r1', 'f1', 'x1'].map(history));
  for (const bytes of seen) {
    expect(bytes.length).toBeGreaterThan(1_000);
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes('the blue one')).toBe(false);
    // Nor in base64, whatever it is aligned to.
    for (const shift of ['', 'x', 'xx'])
      expect(
        bytes.includes(
          Buffer.from(shift + secret)
            .toString('base64')
            .slice(4, -4),
        ),
      ).toBe(false);
  }
}

describe('a codec module', () => {
  beforeAll(() => {
    folder = cliFolder();
    folder.write('codec.mjs', codecModule);
    folder.write('.tactus/config.yml', 'codec: {module: ./codec.mjs}\nstorage: file:records\n');
    folder.write('ask.tac', approve);
  });
  afterAll(() => folder?.close());

  it('is what all commands read and write runs by', wholeLife);

  it('encodes records and archives, and not what export writes', async () => {
    expect(text('records/r1.json')).not.toContain('the blue one');
    expect(text('r1.json')).toContain('the blue one');
    await done(['storage', 'reconcile']);
    await done(['archive', 'r1', '--out', 'r1.tactus.gz']);
    expect(await done(['replay', 'r1.tactus.gz'])).toMatchObject({ problems: [] });
  });

  it('is shown and tried by doctor', async () => {
    const { checks } = (await folder.runHere(['doctor', '--json'])).json() as { checks: JsonObject[] };
    expect(checks.find(({ name }) => name === 'codec')).toMatchObject({
      status: 'ok',
      detail: 'codec.module ./codec.mjs',
    });
  });

  it('is what serve and its worker read and write runs by', async () => {
    const child = folder.start(['serve', '--port', '0', '--json']);
    const ended = new Promise((end) => child.on('close', end));
    try {
      const url = await new Promise<string>((resolve) =>
        child.stdout?.once('data', (line: Buffer) =>
          resolve((JSON.parse(line.toString()) as { url: string }).url),
        ),
      );
      const api = `${url}/api/v1/namespaces/default/runs`;
      const ask = async (path: string, body?: object): Promise<JsonObject> => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
        const answer = await fetch(api + path, body && { ...init, body: JSON.stringify(body) });
        return (await answer.json()) as JsonObject;
      };
      expect(await ask('/r1')).toMatchObject({ output: { read: secret } });
      await ask('', { procedure: 'ask', run_id: 's1', input: { name: secret } });
      const waits = async () => (await ask('/s1'))['status'] === 'waiting_for_human';
      await waitUntil(waits, 30_000);
      expect((await history('s1')).includes(secret)).toBe(false);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });

  it('is out of reach for procedures', async () => {
    folder.write(
      'take.tac',
      'function main() return { read = tostring(select(2, pcall(File.read, "codec.mjs"))) } end',
    );
    const { output } = (await done(['run', 'take.tac', '--files', '.'])) as { output: { read: string } };
    expect(output.read).toMatch(/is refused/);
  });

  it('is missed with a message that names the setting, and the key with one that names the codec', async () => {
    folder.write('.tactus/config.yml', 'storage: file:records\n');
    for (const command of [
      ['status', 'r1'],
      ['log', 'r1'],
      ['result', 'r1'],
      ['replay', 'r1.tactus.gz'],
    ]) {
      const ended = await folder.runHere([...command, '--json']);
      expect(ended.code, ended.stderr).toBe(2);
      const { error } = ended.json() as { error: JsonObject };
      expect(error['code']).toBe('codec_failed');
      expect(error['message']).toContain(
        'has the encoding "binary/mine", and no codec is set that decodes it. Name the codec of the application that wrote it: codec in .tactus/config.yml',
      );
    }
    folder.write('.tactus/config.yml', 'codec: {module: ./codec.mjs}\nstorage: file:records\n');
    // The module has its key from when it is loaded.
    const other = await folder.run(['status', 'r1', '--json'], { env: { CODEC_KEY: 'other' } });
    expect(other.json()).toMatchObject({
      error: { code: 'codec_failed' },
    });
    expect(other.stderr).toMatch(/codec\.module \.\/codec\.mjs can't decode a payload.*Does it have the key/);
  });
});

describe('a codec server', () => {
  let server: CodecServer;
  beforeAll(async () => {
    server = await codecServer(aesCodec(Buffer.alloc(32, 7)), 'Bearer t0ken');
    folder = cliFolder({ TEMPORAL_CODEC_AUTH: 'Bearer t0ken' });
    folder.write(
      '.tactus/config.yml',
      `codec: {endpoint: "${server.url}/{namespace}/", headers: {x-team: mine}}\n`,
    );
    folder.write('ask.tac', approve);
  });
  afterAll(async () => {
    await folder?.close();
    await server?.close().catch(() => undefined);
  });

  it('is asked by all commands', async () => {
    await wholeLife();
    expect(new Set(server.asked.map(({ path }) => path))).toEqual(
      new Set(['/default/encode', '/default/decode']),
    );
    for (const { headers } of server.asked)
      expect(headers).toMatchObject({
        'x-namespace': 'default',
        'x-team': 'mine',
        'content-type': 'application/json',
      });
  });

  it('is named by a flag or a variable, and says what it refuses', async () => {
    rmSync(join(folder.path, '.tactus'), { recursive: true });
    expect((await folder.runHere(['status', 'r1'])).stderr).toContain('no codec is set');
    const flag = ['--codec-endpoint', `${server.url}/default`];
    expect(await done(['status', 'r1', ...flag])).toMatchObject({ state: { of: secret } });
    const byVariable = await folder.runHere(['status', 'r1', '--json'], {
      env: { TEMPORAL_CODEC_ENDPOINT: `${server.url}/default` },
    });
    expect(byVariable.json()).toMatchObject({ state: { of: secret } });
    const refused = await folder.runHere(['status', 'r1', ...flag], {
      env: { TEMPORAL_CODEC_AUTH: 'Bearer other' },
    });
    expect(refused.stderr).toContain('refuses (401)');
    expect(refused.stderr).toContain('TEMPORAL_CODEC_AUTH');
    expect(refused.stderr).not.toContain('Bearer other');
    await server.close();
    const gone = await folder.runHere(['status', 'r1', ...flag]);
    expect(gone.code).toBe(4);
    expect(gone.stderr).toMatch(
      /The codec server at \S+ does not decode payloads: ECONNREFUSED; asked 3 times/,
    );
  });
});
