import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder, type WorkerCommand } from '../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { hasTemporalRoles, startTemporalRoles, type TemporalRoles } from '../support/temporal-roles.js';

const review = (endpoint: string): string => `judge = Model { type = "http", endpoint = "${endpoint}" }
Procedure {
  input = { topic = field.string{} },
  function(input)
    local score = judge({ topic = input.topic }).output.score
    return { score = score, ok = Human.approve("Publish it?") }
  end,
}`;

/** docs/production/run-books.md, "Restoring from a backup", step by step. */
describe.runIf(hasTemporalRoles)('what a backup has', () => {
  let server: TemporalRoles;
  let provider: ProviderStandIn;
  let folder: CliFolder;
  let worker: WorkerCommand;
  beforeAll(async () => {
    provider = await startProviderStandIn();
    provider.reply(() => ({ json: { score: 7 } }));
    server = await startTemporalRoles();
    folder = cliFolder({ TACTUS_KEY: randomBytes(32).toString('base64') });
    folder.write('review.tac', review(`${provider.url}/score`));
    folder.write(
      '.tactus/config.yml',
      `index: ${server.database}
storage: ${server.database}
codec: { encryption: { key: first, keys: { first: TACTUS_KEY }, require: true } }
`,
    );
    worker = await folder.worker(at());
  }, 120_000);
  afterAll(async () => {
    await worker?.stop();
    await server?.close();
    await provider?.close();
  });

  const at = (): string[] => ['--address', server.address];
  const run = async (...args: string[]): ReturnType<CliFolder['run']> => folder.run([...args, ...at()]);
  /** Starts a run, which has then asked its model and waits. */
  async function started(id: string): Promise<void> {
    const ended = await run('run', 'review.tac', '--id', id, '--param', `topic=${id}`);
    expect(ended.code, ended.stderr).toBe(3);
  }
  async function listed(): Promise<Record<string, unknown>> {
    const { runs } = (await run('list', '--json')).json() as { runs: { run_id: string; status: string }[] };
    return Object.fromEntries(runs.map(({ run_id: id, status }) => [id, status]));
  }

  it('is there again, is not paid again, and what came after it is gone everywhere', async () => {
    await started('waits');
    await started('ends');
    expect((await run('respond', 'ends/1', 'y')).code).toBe(0);
    expect((await run('result', 'ends')).code).toBe(0);
    await server.postgres.backUp();

    expect((await run('respond', 'waits/1', 'y')).code).toBe(0);
    expect((await run('result', 'waits')).code).toBe(0);
    await started('later');
    expect(await listed()).toEqual({ waits: 'completed', ends: 'completed', later: 'waiting_for_human' });
    const paid = provider.requests.length;

    const begun = Date.now();
    await worker.stop();
    for (const part of server.parts) await part.kill();
    await server.postgres.restore();
    for (const part of server.parts) await part.start();
    worker = await folder.worker(at());
    expect((await run('doctor')).code).toBe(0);
    expect((await run('index', 'rebuild')).code).toBe(0);
    expect((await run('storage', 'reconcile')).code).toBe(0);

    expect(await listed()).toEqual({ waits: 'waiting_for_human', ends: 'completed' });
    expect((await run('respond', 'waits/1', 'y')).code).toBe(0);
    const { output } = (await run('result', 'waits', '--json')).json() as { output: unknown };
    expect(output).toEqual({ score: 7, ok: true });
    expect(provider.requests).toHaveLength(paid);
    console.log(
      `all was right again ${((Date.now() - begun) / 1_000).toFixed(1)} s after the worker was ended`,
    );
  }, 240_000);
});
