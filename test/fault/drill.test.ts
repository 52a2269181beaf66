import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { hasPrometheus } from '../support/prometheus-server.js';
import { smallDisk } from '../support/small-disk.js';
import { hasTemporalRoles } from '../support/temporal-roles.js';
import { waitUntil } from '../support/wait-until.js';
import { RunBook } from './drill/run-book.js';
import { brokenBuild, Site } from './drill/site.js';

const procedures = {
  'ask.tac': `writer = Agent { model = "openai/gpt-x" }
Procedure { function() return writer("Write").text end }`,
  'brief.tac': `writer = Agent { model = "openai/gpt-x", retries = 0 }
Procedure { function() return writer("Write").text end }`,
  'review.tac': `writer = Agent { model = "openai/gpt-x" }
Procedure { function() return { text = writer("Write").text, ok = Human.approve("Publish it?") } end }`,
  'note.tac': `Procedure { function() File.write("note.txt", string.rep("x", 100000)) return "noted" end }`,
  'later.tac': `writer = Agent { model = "openai/gpt-x" }
Procedure { function() local text = writer("Write").text Event.wait("go") return text end }`,
  'nap.tac': `Procedure { function() Sleep(4) return "awake" end }`,
};

const isThere = hasTemporalRoles && hasPrometheus;
const disk = isThere ? smallDisk('8m') : null;

/** docs/production/run-books.md, followed by what stands there: what you see, what you do, and that nothing is lost. */
describe.runIf(isThere)('the drill', () => {
  let site: Site;
  const times: { drill: string; seen: string; right: string }[] = [];
  /** What the provider was paid for. */
  let paid = 0;

  beforeAll(async () => {
    site = await Site.start(disk);
    for (const [name, text] of Object.entries(procedures)) site.folder.write(name, text);
    works();
    await site.up('good');
    await site.json(['rollout', 'good', '--ramp', '100', '--pause', '0', '--no-gate']);
  }, 180_000);
  // One that fails leaves nothing to the next.
  afterEach(async ({ task }) => {
    works();
    disk?.clear();
    await site.run(['hold', 'release', 'provider:openai']);
    if (task.result?.state !== 'fail') return;
    await site.down();
    site.configure('first');
    await site.up('good');
    await site.run(['rollout', '--back']);
  }, 60_000);
  afterAll(async () => {
    await site?.close();
    console.table(times);
  }, 60_000);

  const works = (): void =>
    site.provider.reply(() => {
      paid++;
      return { text: 'done' };
    });
  const start = async (procedure: string, ...ids: string[]): Promise<void> => {
    for (const id of ids) await site.json(['start', `${procedure}.tac`, '--id', id]);
  };
  const status = (book: RunBook, run: string): Promise<JsonObject> =>
    site.json(book.does('status RUN', { RUN: run }));
  const until = (book: RunBook, run: string, is: (view: JsonObject) => boolean): Promise<boolean> =>
    waitUntil(async () => is(await status(book, run)));
  const output = async (run: string): Promise<JsonValue | undefined> =>
    (await site.json(['result', run, '--timeout', '2m']))['output'];
  const isAsked = (run: string): Promise<boolean> =>
    waitUntil(async () => ((await site.json(['pending', run]))['pending'] as JsonValue[]).length === 1);
  const answer = (run: string): Promise<JsonObject> => site.json(['respond', `${run}/1`, 'y']);

  /** What doctor says of one of its checks, whether it ends with 0 or 1. */
  async function doctor(book: RunBook, check: string): Promise<JsonObject | undefined> {
    const { checks } = (await site.run([...book.does('doctor'), '--json'])).json() as {
      checks: JsonObject[];
    };
    return checks.find(({ name }) => name === book.sees(check));
  }

  /** One drill: `see` ends when the run-book's signs are seen, `mend` when all is right again. */
  async function drill(
    book: RunBook,
    { see, mend }: { see: () => Promise<unknown>; mend: () => Promise<unknown> },
  ): Promise<void> {
    await see();
    const seen = book.seconds;
    await mend();
    const row = { drill: book.title, seen: `${seen.toFixed(1)} s`, right: `${book.seconds.toFixed(1)} s` };
    times.push(row);
    expect(book.left).toEqual([]);
  }

  it('a provider of models is down', async () => {
    const book = new RunBook('A provider of models is down');
    const before = paid;
    site.provider.reply(() => ({ status: 500, body: { error: { message: 'overloaded' } } }));
    await start('ask', 'down-1', 'down-2');
    await start('brief', 'down-3');
    await drill(book, {
      see: async () => {
        await until(book, 'down-1', (view) =>
          JSON.stringify(view[book.sees('retrying')]).includes('overloaded'),
        );
        await until(book, 'down-3', (view) => view['status'] === 'failed');
        await site.fires(book.sees('TactusModelErrors'));
      },
      mend: async () => {
        await site.json(book.does('hold add provider:openai --reason "outage"'));
        await start('ask', 'down-4');
        await until(book, 'down-4', (view) => JSON.stringify(view).includes('outage'));
        works();
        await site.json(book.does('hold release provider:openai'));
        const retry = book.does('retry --failed --since 2h --dry-run');
        expect(JSON.stringify(await site.json(retry))).toContain('down-3');
        await site.json(retry.filter((word) => word !== '--dry-run'));
        for (const run of ['down-1', 'down-2', 'down-3', 'down-4']) expect(await output(run)).toBe('done');
      },
    });
    expect(paid - before).toBe(4);
  }, 240_000);

  it('a worker was killed', async () => {
    await start('review', 'killed-1', 'killed-2');
    for (const run of ['killed-1', 'killed-2']) await isAsked(run);
    const book = new RunBook('A worker was killed');
    const [killed] = site.workers.splice(0, 1);
    await killed?.kill();
    await drill(book, {
      see: async () => {
        expect(await killed?.failing()).toBeNull();
        await site.fires(book.sees('TactusWorkerDown'));
      },
      mend: async () => {
        for (const run of ['killed-1', 'killed-2']) {
          await answer(run);
          expect(await output(run)).toEqual({ text: 'done', ok: true });
        }
        // None is left.
        await site.down();
        await waitUntil(async () => (await doctor(book, 'worker'))?.['status'] === 'broken');
        await site.up('good');
        expect(await doctor(book, 'worker')).toMatchObject({ status: 'ok' });
      },
    });
  }, 240_000);

  it('a bad deploy', async () => {
    const before = paid;
    const book = new RunBook('A bad deploy');
    const runs = ['deployed-1', 'deployed-2', 'deployed-3'];
    await start('later', ...runs);
    for (const run of runs) await until(book, run, (view) => Number(view['checkpoints']) > 0);
    await site.down();
    await site.up('bad', { bin: brokenBuild() });
    await site.json(['rollout', 'bad', '--ramp', '100', '--pause', '0', '--no-gate']);
    for (const run of runs) await site.json(['send', run, 'go']);
    await drill(book, {
      see: async () => {
        await waitUntil(async () => (await doctor(book, 'runs'))?.['status'] === 'broken');
        await waitUntil(async () => site.workers.some((worker) => worker.said().includes('is stuck here')));
        await site.fires(book.sees('TactusRunsStuck'));
      },
      mend: async () => {
        const bad = site.workers.splice(0);
        await site.up('good', { isBeside: true });
        await site.json(book.does('rollout --back'));
        await Promise.all(bad.map((worker) => worker.stop()));
        await waitUntil(async () =>
          JSON.stringify(await doctor(book, 'runs')).includes(book.sees('none stuck')),
        );
        for (const run of runs) expect(await output(run)).toBe('done');
      },
    });
    expect(paid - before).toBe(3);
  }, 240_000);

  it.skipIf(disk === null)(
    'a disk is full',
    async () => {
      const book = new RunBook('A disk is full');
      disk?.fill();
      await start('note', 'full-1');
      await start('ask', 'full-2');
      await drill(book, {
        see: async () => {
          expect(await output('full-2')).toBe('done');
          await until(book, 'full-1', (view) => JSON.stringify(view).includes(book.sees('file_failed')));
          await waitUntil(async () =>
            site.workers.some((worker) => worker.said().includes('storage or index: ')),
          );
          await waitUntil(async () => {
            const failing = await Promise.all(site.workers.map((worker) => worker.failing()));
            return failing.flat().includes(book.sees('mirror'));
          });
          expect(await doctor(book, 'storage folder')).toMatchObject({
            status: 'broken',
            advice: 'make room on its disk',
          });
        },
        mend: async () => {
          disk?.clear();
          for (const worker of site.workers)
            await waitUntil(async () => (await worker.failing())?.length === 0);
          // All that was missed is there already.
          const { runs, same } = await site.json(book.does('storage reconcile'));
          expect(same).toBe(runs);
          await site.json(book.does('index rebuild'));
          const { runs: listed } = await site.json(['list']);
          expect(listed).toContainEqual(expect.objectContaining({ run_id: 'full-1', status: 'failed' }));
          await start('note', 'full-3');
          expect(await output('full-3')).toBe('noted');
        },
      });
    },
    240_000,
  );

  it('the Temporal server restarts', async () => {
    await start('nap', 'restart-1');
    await start('review', 'restart-2');
    await isAsked('restart-2');
    const book = new RunBook('The Temporal server restarts');
    for (const part of site.server.parts) await part.kill();
    await drill(book, {
      see: async () => {
        await waitUntil(async () => (await site.serve.failing())?.includes(book.sees('temporal')));
        await waitUntil(async () => (await site.workers[0]?.failing())?.includes(book.sees('temporal')));
        const ended = await site.run(['list', '--json']);
        expect([ended.code, ended.json()['error']]).toMatchObject([
          4,
          { code: book.sees('server_unreachable') },
        ]);
      },
      mend: async () => {
        for (const part of site.server.parts) await part.start();
        expect(await output('restart-1')).toBe('awake');
        await answer('restart-2');
        expect(await output('restart-2')).toEqual({ text: 'done', ok: true });
        for (const service of [...site.workers, site.serve])
          await waitUntil(async () => (await service.failing())?.length === 0);
      },
    });
  }, 240_000);

  it('a run is stuck, or seems to be', async () => {
    const book = new RunBook('A run is stuck, or seems to be');
    await start('review', 'seems-2');
    await isAsked('seems-2');
    await start('nap', 'seems-3');
    await site.json(['hold', 'add', 'provider:openai', '--reason', 'cost']);
    await start('ask', 'seems-4', 'seems-5');
    await site.json(['pause', 'seems-5', '--reason', 'a look']);
    // Workers that run don't serve what the configuration says now.
    site.configure('first', 'gpt');
    await start('ask', 'seems-1');
    await drill(book, {
      see: async () => {
        await until(book, 'seems-1', (view) => JSON.stringify(view[book.sees('unserved')]).includes('gpt'));
        await until(book, 'seems-2', (view) => view['status'] === book.sees('waiting_for_human'));
        await until(book, 'seems-3', (view) => view['status'] === book.sees('waiting_for_time'));
        await until(book, 'seems-5', (view) => view['status'] === book.sees('paused'));
        const { pending } = await site.json(book.does('pending'));
        expect((pending as JsonObject[]).map(({ id }) => id)).toContain('seems-2/1');
        const { holds } = await site.json(book.does('hold list'));
        expect(holds).toMatchObject([{ target: 'provider:openai' }]);
        await site.down();
        expect(await doctor(book, 'worker')).toMatchObject({ status: 'broken' });
      },
      mend: async () => {
        await site.up('good');
        await site.json(['hold', 'release', 'provider:openai']);
        await site.json(book.does('unpause RUN', { RUN: 'seems-5' }));
        await answer('seems-2');
        expect(await output('seems-2')).toEqual({ text: 'done', ok: true });
        expect(await output('seems-3')).toBe('awake');
        for (const run of ['seems-1', 'seems-4', 'seems-5']) expect(await output(run)).toBe('done');
      },
    });
  }, 240_000);

  it('a key is lost', async () => {
    await start('review', 'key-1');
    await isAsked('key-1');
    const book = new RunBook('A key is lost');
    await site.down();
    await drill(book, {
      see: async () => {
        site.configure('second');
        await site.up('good', { env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' } });
        await start('ask', 'key-2');
        await until(book, 'key-2', (view) =>
          JSON.stringify(view[book.sees('retrying')]).includes('set OPENAI_API_KEY'),
        );
        const refused = await site.run(['respond', 'key-1/1', 'y', '--json']);
        expect(refused.json()['error']).toMatchObject({
          code: book.sees('codec_failed'),
          message: expect.stringContaining('"first"') as string,
        });
        await waitUntil(async () =>
          site.workers.some((worker) => worker.said().includes('with the key "first"')),
        );
      },
      mend: async () => {
        await site.down();
        site.configure('both');
        await site.up('good');
        await answer('key-1');
        expect(await output('key-1')).toEqual({ text: 'done', ok: true });
        expect(await output('key-2')).toBe('done');
      },
    });
  }, 240_000);

  it('has told the collector of each run that ended, whatever was down', async () => {
    const { runs } = await site.json(['list', '--limit', '100']);
    // A worker was killed right after those of the first drill: what it was about to tell may be lost.
    const ended = (runs as JsonObject[])
      .filter(({ status }) => status === 'completed' || status === 'failed')
      .filter(({ run_id: id }) => !(id as string).startsWith('down-'));
    expect(ended.length).toBeGreaterThan(10);
    await waitUntil(async () => {
      const spans = site.receiver.spans().filter(({ name }) => name.startsWith('invoke_workflow'));
      const told = spans.map(({ attributes }) => attributes['tactus.run.id']);
      expect(told).toEqual(expect.arrayContaining(ended.map(({ run_id: id }) => id)));
      return true;
    });
  });
});
