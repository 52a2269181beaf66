import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const { History } = proto.temporal.api.history.v1;
const ask = `
Procedure {
  input = { name = field.string{} },
  function(input) return { answer = Human.input("Which " .. input.name .. "?") } end,
}`;
const wait = `
Procedure {
  input = { name = field.string{} },
  function(input)
    state.of = input.name
    local there = File.exists("none")
    local answer = Procedure.run("ask.tac", { name = input.name }).answer
    return { answer = answer, there = there }
  end,
}`;
const config = (key: string) => `
storage: file:records
codec:
  encryption:
    key: ${key}
    keys: {may: TACTUS_KEY_MAY, nov: TACTUS_KEY_NOV}
    subjects: {folder: keys, id: "customer-*"}
`;

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder({
    TACTUS_KEY_MAY: Buffer.alloc(32, 5).toString('base64'),
    TACTUS_KEY_NOV: Buffer.alloc(32, 11).toString('base64'),
  });
  folder.write('.tactus/config.yml', config('may'));
  folder.write('wait.tac', wait);
  folder.write('ask.tac', ask);
});
afterAll(() => folder?.close());

async function done(args: readonly string[], code = 0): Promise<JsonObject> {
  const ended = await folder.runHere([...args, '--json', '--quiet']);
  expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(code);
  return ended.json();
}

async function refused(args: readonly string[], code: string): Promise<string> {
  const { error } = (await done(args, 2)) as { error: { code: string; message: string } };
  expect(error.code).toBe(code);
  return error.message;
}

const start = (id: string) => ['run', 'wait.tac', '--id', id, '--param', 'name=Hyacinth'];

/** The ids of all keys that a history names, each once. */
async function keysIn(id: string): Promise<string[]> {
  const { address } = (await done(['server', 'status'])) as { address: string };
  const connection = await Connection.connect({ address });
  try {
    const history = await new Client({ connection }).workflow.getHandle(id).fetchHistory();
    const text = Buffer.from(History.encode(history).finish()).toString('latin1');
    const found = text.matchAll(/encryption-key-id..(subject\/[\da-f-]{36}|may|nov)/gs);
    return [...new Set([...found].map((each) => each[1] ?? ''))];
  } finally {
    await connection.close();
  }
}

describe('a key for each subject', () => {
  it('encrypts all that its runs keep, those of child runs too', async () => {
    for (const id of ['customer-17/a', 'customer-18/a', 'shop/a']) await done(start(id), 3);
    const { subjects } = (await done(['codec', 'subjects'])) as {
      subjects: { id: string; subject: string }[];
    };
    expect(subjects.map(({ subject }) => subject).sort()).toEqual(['customer-17', 'customer-18']);
    for (const { id, subject } of subjects)
      for (const run of [`${subject}/a`, `${subject}/a/1`])
        expect(await keysIn(run)).toEqual([`subject/${id}`]);
    expect(await keysIn('shop/a')).toEqual(['may']);
    await done(['fork', 'customer-17/a', '--at', '0', '--id', 'customer-17/f']);
    expect(await keysIn('customer-17/f')).toEqual(await keysIn('customer-17/a'));
  });

  it('is encrypted with another key by a rotation, and runs go on', async () => {
    folder.write('.tactus/config.yml', config('nov'));
    for (const rewrapped of [2, 2])
      expect(await done(['codec', 'rewrap', '--dry-run'])).toMatchObject({
        dry_run: true,
        keys: 2,
        rewrapped,
      });
    expect(await done(['codec', 'rewrap'])).toEqual({ keys: 2, rewrapped: 2 });
    expect(await done(['codec', 'rewrap', '--dry-run'])).toMatchObject({ keys: 2, rewrapped: 0 });
    expect(await done(['status', 'customer-17/a'])).toMatchObject({ state: { of: 'Hyacinth' } });
  });

  it('is destroyed only by who says so, and once it is, nobody reads its runs', async () => {
    expect(await refused(['codec', 'destroy', 'customer-17'], 'usage')).toContain('confirm it with --yes');
    expect(await refused(['codec', 'destroy', 'customer-99', '--yes'], 'usage')).toContain(
      'has no key of its own',
    );
    expect(await done(['codec', 'destroy', 'customer-17', '--dry-run'])).toMatchObject({
      ...{ dry_run: true, subject: 'customer-17', destroyed_at: null },
    });
    expect(await refused(['codec', 'destroy', 'customer-99', '--dry-run'], 'usage')).toContain(
      'no key of its own',
    );
    const worker = await folder.worker();
    try {
      await done(start('customer-18/b'), 3);
      expect(await done(['status', 'customer-17/a'])).toMatchObject({ state: { of: 'Hyacinth' } });
      const destroyed = await done(['codec', 'destroy', 'customer-17', '--yes']);
      expect(destroyed).toMatchObject({ subject: 'customer-17', master: null });
      for (const command of [
        ['status', 'customer-17/a'],
        ['log', 'customer-17/a/1'],
        ['status', 'customer-17/f'],
        start('customer-17/new'),
      ])
        expect(await refused(command, 'codec_failed')).toMatch(
          /the key of this subject was destroyed on \d{4}-\d\d-\d\d\. Nobody can bring it back/,
        );
      const { runs } = (await done(['list'])) as { runs: { run_id: string }[] };
      expect(runs.map(({ run_id }) => run_id)).toEqual(
        expect.arrayContaining(['customer-17/a', 'customer-18/a', 'shop/a']),
      );
      for (const id of ['customer-18/a', 'shop/a']) {
        expect(await done(['respond', `${id}/1/0`, 'blue'])).toMatchObject({ outcome: 'accepted' });
        expect(await done(['result', id])).toMatchObject({ output: { answer: 'blue' } });
      }
      expect(await done(['terminate', 'customer-17/a'])).toEqual({
        ...{ run_id: 'customer-17/a', status: 'terminated' },
      });
      expect(await done(['count', '--status', 'terminated'])).toMatchObject({ runs: 1 });
    } finally {
      await worker.stop();
    }
    const { subjects } = (await done(['codec', 'subjects'])) as { subjects: JsonObject[] };
    expect(subjects.map(({ subject }) => subject)).toEqual(expect.arrayContaining([null, 'customer-18']));
    expect((await folder.runHere(['codec', 'subjects'])).stdout).toMatch(/^[\da-f-]{36} {2}destroyed /m);
  });

  it('is out of reach for procedures', async () => {
    folder.write(
      'look.tac',
      'function main() return { told = tostring(select(2, pcall(File.list, "keys"))) } end',
    );
    const { output } = (await done(['run', 'look.tac', '--files', '.'])) as { output: { told: string } };
    expect(output.told).toMatch(/refused/);
  });
});
