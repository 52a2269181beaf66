import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLastAnswers } from '../../../src/client/lists/last-answers.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { filesBelow, hasWord } from '../../support/searched-files.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

/** Every word that nobody may read has this in it. */
const secret = 'Hyacinth';
/** What was there before the encryption, by which the test knows where to look. */
const readable = 'Periwinkle';

const ask = `
clerk = Agent { model = "openai/gpt-x", system_prompt = "${secret} of a prompt" }
Procedure {
  input = { name = field.string{} },
  function(input)
    state.of = input.name
    local said = clerk("${secret} of a message: " .. input.name).output
    File.write("${secret}.txt", input.name)
    local ok, problem = pcall(File.read, "none/${secret}.txt")
    state.problem = tostring(problem)
    if input.name == "${secret} fails" then error("${secret} of a failure") end
    local answer = Human.input("Which ${secret}?")
    local all = File.read("${secret}.txt")
    print("${secret} " .. answer)
    return { answer = answer, said = said, all = all }
  end,
}`;
const wait = `
Procedure {
  input = { name = field.string{} },
  function(input) return { answer = Human.input("Which " .. input.name .. "?") } end,
}`;

const keys = {
  TACTUS_KEY_MAY: Buffer.alloc(32, 5).toString('base64'),
  TACTUS_KEY_NOV: Buffer.alloc(32, 11).toString('hex'),
};
const config = (encryption: string) => `codec: {encryption: {${encryption}}}\nstorage: file:records\n`;
const ofMay = config('key: may, keys: {may: TACTUS_KEY_MAY}');

let folder: CliFolder;
let provider: ProviderStandIn;

beforeAll(async () => {
  provider = await startProviderStandIn();
  provider.reply(() => ({ text: `${secret} of an answer` }));
  folder = cliFolder({ ...keys, OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write('ask.tac', ask);
  folder.write('wait.tac', wait);
});
afterAll(async () => {
  await folder?.close();
  await provider?.close();
});

const configure = (text: string): void => folder.write('.tactus/config.yml', text);

async function done(args: readonly string[], code = 0): Promise<JsonObject> {
  const ended = await folder.runHere([...args, '--json', '--quiet']);
  expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`.slice(0, 2_000)).toBe(code);
  return ended.json();
}

async function refused(args: readonly string[], code: string): Promise<string> {
  const { error } = (await done(args, 2)) as { error: { code: string; message: string } };
  expect(error.code).toBe(code);
  return error.message;
}

async function answer(id: string): Promise<JsonObject> {
  const { pending } = (await done(['status', id])) as { pending: { id: string }[] };
  expect(await done(['respond', pending[0]?.id ?? '', `the blue ${secret}`])).toMatchObject({
    outcome: 'accepted',
  });
  return done(['result', id]);
}

const kept = (...places: string[]): Map<string, Buffer> =>
  filesBelow(...places.map((place) => join(folder.path, place)));

describe('payloads that are encrypted', () => {
  it('are those of runs from then on; a run from before goes on', async () => {
    configure('storage: file:records\n');
    await done(['run', 'wait.tac', '--id', 'p1', '--param', `name=${readable}`], 3);
    configure(ofMay);
    expect(await done(['status', 'p1'])).toMatchObject({ status: 'waiting_for_human' });
    expect(await answer('p1')).toMatchObject({ output: { answer: `the blue ${secret}` } });
  });

  it('leave nothing readable on the server and in records', async () => {
    configure(config('key: may, keys: {may: TACTUS_KEY_MAY}, compress: false'));
    await done(['run', 'ask.tac', '--id', 'r1', '--param', `name=${secret}`], 3);
    expect(await done(['status', 'r1'])).toMatchObject({ state: { of: secret } });
    const output = { answer: `the blue ${secret}`, said: `${secret} of an answer`, all: secret };
    expect(await answer('r1')).toMatchObject({ output, printed: [`${secret} the blue ${secret}`] });
    expect(JSON.stringify(await done(['log', 'r1']))).toContain(`Which ${secret}?`);
    expect(await done(['replay', 'r1'])).toMatchObject({ problems: [] });
    const failed = await done(['run', 'ask.tac', '--id', 'x1', '--param', `name=${secret} fails`], 1);
    expect(JSON.stringify(failed)).toContain(`${secret} of a failure`);
    configure(ofMay);
    await done(['run', 'wait.tac', '--id', 'r2', '--param', `name=${secret}`], 3);
    await done(['fork', 'r1', '--at', '3', '--id', 'f1']);
    expect(await done(['resume', 'f1'], 3)).toMatchObject({ pending: [{ message: `Which ${secret}?` }] });

    const files = kept('.tactus-temporal', 'records');
    // The index isn't encrypted, as people search in it; but what it keeps of ended runs is.
    const { version } = await done(['status', 'r1']);
    const place = { runId: 'r1', execution: (version as JsonObject)['execution'] as string };
    const index = await openRunIndex(join(folder.path, '.tactus-temporal', 'index.sqlite'));
    expect(await index.answers(place.runId, place.execution)).not.toBeNull();
    expect(await readLastAnswers(index, place, { codecs: [] })).toBeNull();
    await index.close();
    for (const name of files.keys()) if (name.includes('index.sqlite')) files.delete(name);
    const names = [...files.keys()].join('\n');
    for (const place of [/temporal\.sqlite$/m, /records\/r1\.json$/m]) expect(names).toMatch(place);
    const found = (word: string) =>
      [...files].flatMap(([name, bytes]) => (hasWord(bytes, word) ? [name] : []));
    expect(found(readable).join()).toMatch(/temporal\.sqlite/);
    expect(found(secret)).toEqual([]);
    expect(found('the blue')).toEqual([]);
    for (const key of Object.values(keys)) expect(found(key)).toEqual([]);
  });

  it('are read by an older key, and written by the newest', async () => {
    configure(config('key: nov, keys: {may: TACTUS_KEY_MAY, nov: TACTUS_KEY_NOV}'));
    expect(await answer('r2')).toMatchObject({ output: { answer: `the blue ${secret}` } });
    await done(['run', 'wait.tac', '--id', 'n1', '--param', `name=${secret}`], 3);
    configure(config('key: nov, keys: {nov: TACTUS_KEY_NOV}'));
    expect(await done(['status', 'n1'])).toMatchObject({ status: 'waiting_for_human' });
  });

  it('block no other run where the key is missing', async () => {
    configure(ofMay);
    await done(['start', 'wait.tac', '--id', 's1', '--param', `name=${secret}`]);
    configure(config('key: nov, keys: {nov: TACTUS_KEY_NOV}'));
    for (const command of ['status', 'log', 'result'])
      expect(await refused([command, 'r2'], 'codec_failed')).toMatch(
        /of run r2 is encrypted with the key "may", which is not among codec\.encryption\.keys \(nov\)\. Add this id there/,
      );
    const { runs } = (await done(['list'])) as { runs: { run_id: string }[] };
    expect(runs.map((each) => each.run_id)).toEqual(expect.arrayContaining(['r2', 'n1', 'f1']));
    // Others are shown, and what is left out.
    expect(await done(['pending'], 4)).toMatchObject({
      missing: expect.arrayContaining([expect.objectContaining({ run_id: 's1' })]) as unknown,
    });
    // The worker of these commands fails the first task of s1 again and again.
    const start = ['run', 'wait.tac', '--id', 'n2', '--param', `name=${secret}`];
    expect(await done(start, 3)).toMatchObject({ pending: [{ message: `Which ${secret}?` }] });
    expect(await answer('n1')).toMatchObject({ output: { answer: `the blue ${secret}` } });
    const stuck = await folder.runHere(['doctor', '--json']);
    expect(stuck.stdout).toMatch(/s1 since [^"]*is encrypted with the key \\"may\\"/);
    configure(config('key: nov, keys: {may: TACTUS_KEY_MAY, nov: TACTUS_KEY_NOV}'));
    expect(await done(['resume', 's1'], 3)).toMatchObject({ pending: [{ message: `Which ${secret}?` }] });
    expect(await answer('f1')).toMatchObject({ output: { said: `${secret} of an answer` } });
  });

  it('are all that is taken where it is required', async () => {
    configure(config('key: may, keys: {may: TACTUS_KEY_MAY}, require: true'));
    expect(await refused(['status', 'p1'], 'codec_failed')).toMatch(
      /of run p1 isn't encrypted: its encoding is "json\/plain"\. codec\.encryption\.require refuses it/,
    );
    await done(['run', 'ask.tac', '--id', 'q1', '--param', `name=${secret}`], 3);
    expect(await answer('q1')).toMatchObject({ output: { said: `${secret} of an answer` } });
  });

  it('are named where no key is set', async () => {
    configure('storage: file:records\n');
    expect(await refused(['status', 'r1'], 'codec_failed')).toMatch(
      /it is encrypted\. Name the keys by codec\.encryption/,
    );
  });
});

describe('a key', () => {
  it('is tried by doctor', async () => {
    configure(ofMay);
    const { checks } = (await folder.runHere(['doctor', '--json'])).json() as { checks: JsonObject[] };
    expect(checks.find(({ name }) => name === 'codec')).toMatchObject({
      status: 'ok',
      detail: 'codec.encryption with the key may',
    });
  });

  it('is out of reach for procedures', async () => {
    configure(ofMay);
    folder.write(
      'take.tac',
      `function main() return { told = tostring(select(2, pcall(http_client.get, "${provider.url}/take", { headers = { x = { secret = "TACTUS_KEY_MAY" } } }))) } end`,
    );
    const { output } = (await done(['run', 'take.tac'])) as { output: { told: string } };
    expect(output.told).toContain('needs the secret TACTUS_KEY_MAY: set TACTUS_KEY_MAY');
  });

  it('keeps out workers in Python, which have no such codec', async () => {
    configure(ofMay);
    expect(await refused(['worker', '--python'], 'usage')).toContain(
      "worker --python can't read payloads that codec.encryption with the key may encodes",
    );
  });

  it('that is missing or is none starts nothing', async () => {
    const fresh = cliFolder();
    fresh.write('.tactus/config.yml', config('key: nov, keys: {nov: TACTUS_KEY_NOV}'));
    fresh.write('wait.tac', wait);
    const start = ['run', 'wait.tac', '--param', 'name=a', '--json'];
    const missing = await fresh.runHere(start);
    expect(missing.code).toBe(2);
    expect(missing.json()).toMatchObject({ error: { code: 'missing_key' } });
    expect(missing.stderr).toContain('set TACTUS_KEY_NOV (or TACTUS_KEY_NOV_FILE)');
    const short = await fresh.runHere(start, {
      env: { TACTUS_KEY_NOV: Buffer.alloc(31, 7).toString('base64') },
    });
    expect(short.json()).toMatchObject({ error: { code: 'config_invalid' } });
    expect(short.stderr).toContain('TACTUS_KEY_NOV must hold 32 bytes');
    expect(short.stderr).not.toContain('Bwc');
    expect(existsSync(join(fresh.path, '.tactus-temporal'))).toBe(false);
  });

  it('is made by a command, with its lines for the configuration', async () => {
    const fresh = cliFolder();
    const { stdout } = await fresh.runHere(['codec', 'key', 'jun-2027']);
    const [key = '', ...others] = stdout.split('\n');
    const lines = others.slice(others.indexOf('codec:')).join('\n');
    fresh.write('.tactus/config.yml', lines);
    fresh.write('key', key);
    const { checks } = (
      await fresh.runHere(['doctor', '--json'], {
        env: { TACTUS_KEY_JUN_2027_FILE: join(fresh.path, 'key') },
      })
    ).json() as { checks: JsonObject[] };
    expect(checks.find(({ name }) => name === 'codec')).toMatchObject({
      status: 'ok',
      detail: 'codec.encryption with the key jun-2027',
    });
    const made = (await fresh.runHere(['codec', 'key', 'a.b', '--json'])).json();
    expect(made).toMatchObject({ id: 'a.b', variable: 'TACTUS_KEY_A_B' });
    expect(Buffer.from(made['key'] as string, 'base64')).toHaveLength(32);
    expect((await fresh.runHere(['codec', 'key', 'a b'])).code).toBe(2);
    await fresh.close();
  });
});
