import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Limits } from '../../../src/contract/runs/limits.js';
import { procedureSource } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
let worker: TestWorker;
let root: string;
beforeAll(async () => {
  root = temporaryFolder('transactions');
  worker = await startWorker(around.server, { activities: { filesRoot: root, env: around.env } });
});
afterAll(() => worker.stop());
beforeEach(() => {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
});

const start = (top: string, body: string, limits?: Partial<Limits>): Promise<TactusRun> =>
  around.server.tactus.start(
    procedureSource(`${top}\nProcedure { function(input)\n${body}\nend }`),
    {},
    limits === undefined ? {} : { limits },
  );
/** All that is there, hidden files too. */
const names = (folder = '.'): string[] => readdirSync(join(root, folder)).sort();
/** Sound in all its executions; gives how many there were. */
const sound = async (run: TactusRun): Promise<number> =>
  (await soundExecutions(around.server.client, run)).length;

describe('a tool that is a transaction', () => {
  it('and fails leaves state, session and files as they were; one that succeeds keeps all', async () => {
    writeFileSync(join(root, 'kept.txt'), 'before');
    writeFileSync(join(root, 'gone.txt'), 'before');
    writeFileSync(join(root, 'blob.txt'), Buffer.from([0xff, 0xfe, 0]));
    const run = await start(
      `notes = Session.slice("notes")
       change = Tool { transaction = true, input = { fails = field.boolean{} }, function(args)
         state.count = state.count + 1
         state.list[1] = "changed"
         state.new = { 1 }
         state.old = nil
         notes.append("in the tool")
         Plan.setup { objective = "o", initial_steps = { "s" } }
         File.write("kept.txt", "after")
         File.append("kept.txt", " more")
         File.delete("gone.txt")
         File.write("blob.txt", "after")
         File.write("deep/er/new.txt", "new")
         if args.fails then error({ message = "no luck", n = 7 }) end
         return state.count
       end }`,
      `state.count, state.list, state.old = 1, { "a" }, "there"
       notes.append("before")
       local ok, problem = pcall(change, { fails = true })
       local first = { ok = ok, problem = problem.message, n = problem.n, count = state.count, list = state.list[1], new = state.new,
         old = state.old, notes = notes.all(), plan = Plan.current() ~= nil, kept = File.read("kept.txt"), gone = File.read("gone.txt"),
         new_file = File.exists("deep/er/new.txt") }
       local second = change({ fails = false })
       return { first = first, second = second, count = state.count, list = state.list[1], new = state.new, old = state.old == nil,
         notes = notes.all(), plan = Plan.current().objective, kept = File.read("kept.txt"), gone = File.exists("gone.txt") }`,
    );
    const output = await run.result();
    expect(output).toEqual({
      first: {
        ...{ ok: false, problem: 'no luck', n: 7, count: 1, list: 'a', old: 'there', notes: ['before'] },
        ...{ plan: false, kept: 'before', gone: 'before', new_file: false },
      },
      ...{ second: 2, count: 2, list: 'changed', new: [1], old: true, notes: ['before', 'in the tool'] },
      ...{ plan: 'o', kept: 'after more', gone: false },
    });
    expect(names()).toEqual(['.kept.txt.appends', 'blob.txt', 'deep', 'kept.txt']);
    expect(names('deep/er')).toEqual(['new.txt']);
    await sound(run);
    const { execution_log: log } = await run.log();
    const kinds = log.filter(({ type }) => type === 'file').map(({ name }) => name.split(' ')[0]);
    expect(kinds.filter((kind) => kind === 'keep')).toHaveLength(8);
    expect(kinds.filter((kind) => kind === 'restore')).toHaveLength(4);
    expect(kinds.filter((kind) => kind === 'forget')).toHaveLength(4);
  });

  it('puts bytes that are no text back as they were', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0, 1]);
    mkdirSync(join(root, 'in'), { recursive: true });
    writeFileSync(join(root, 'in', 'blob.bin'), bytes);
    const run = await start(
      `change = Tool { transaction = true, function() File.write("in/blob.bin", "x") error("no") end }`,
      'return pcall(change, {})',
    );
    expect(await run.result()).toBe(false);
    expect(readFileSync(join(root, 'in', 'blob.bin'))).toEqual(bytes);
    expect(names('in')).toEqual(['blob.bin']);
  });

  it('that is called by another one is undone by itself, and with it', async () => {
    const run = await start(
      `inner = Tool { transaction = true, input = { fails = field.boolean{} }, function(args)
         state.inner = (state.inner or 0) + 1
         File.write("nested.txt", "inner " .. state.inner)
         if args.fails then error("inner") end
       end }
       outer = Tool { transaction = true, input = { fails = field.boolean{} }, function(args)
         File.write("nested.txt", "outer")
         state.outer = true
         pcall(inner, { fails = true })
         local between, seen = File.read("nested.txt"), state.inner
         inner({ fails = false })
         local after = File.read("nested.txt")
         if args.fails then error("outer: " .. between .. ", " .. tostring(seen) .. ", " .. after) end
         return { between, after, state.inner }
       end }`,
      `File.write("nested.txt", "first")
       local _, problem = pcall(outer, { fails = true })
       local first = { problem = problem, text = File.read("nested.txt"), inner = state.inner, outer = state.outer }
       return { first = first, second = outer({ fails = false }), text = File.read("nested.txt"), inner = state.inner }`,
    );
    const output = (await run.result()) as { first: { problem: string } };
    expect(output.first.problem).toContain('outer: outer, nil, inner 1');
    expect(output).toMatchObject({
      first: { text: 'first' },
      ...{ second: ['outer', 'inner 1', 1], text: 'inner 1', inner: 1 },
    });
    expect(output.first).not.toHaveProperty('inner');
    expect(names().filter((name) => name.startsWith('.nested'))).toEqual([]);
    await sound(run);
  });

  it('leaves alone what branches beside it do', async () => {
    const run = await start(
      `notes = Session.slice("notes")
       change = Tool { transaction = true, input = { n = field.number{}, fails = field.boolean{} }, function(args)
         state["n" .. args.n] = args.n
         notes.append(args.n)
         File.write("branch-" .. args.n .. ".txt", "written")
         Sleep(args.fails and 2 or 1)
         if args.fails then error("no") end
       end }`,
      `state.shared = "before"
       Parallel.map({ 1, 2, 3, 4 }, function(n) pcall(change, { n = n, fails = n % 2 == 0 }) end)
       Parallel { function() pcall(change, { n = 6, fails = true }) end, function() Sleep(1) state.shared = "beside" notes.append("beside") end }
       return { state = State.all(), notes = notes.all(), files = { File.exists("branch-1.txt"), File.exists("branch-2.txt") } }`,
    );
    const output = (await run.result()) as { notes: unknown[] };
    expect(output).toMatchObject({ state: { shared: 'beside', n1: 1, n3: 3 }, files: [true, false] });
    expect(output).not.toHaveProperty('state.n2');
    expect(output).not.toHaveProperty('state.n6');
    expect([...output.notes].sort()).toEqual([1, 3, 'beside']);
    await sound(run);
  });

  it('in a branch that is given up is undone by whoever gives it up', async () => {
    const run = await start(
      `notes = Session.slice("notes")
       change = Tool { transaction = true, function()
         state.changed = true
         notes.append("x")
         File.write("given-up.txt", "written")
         Sleep(60)
       end }`,
      `File.write("given-up.txt", "before")
       local ok, problem = pcall(function()
         Parallel { function() change({}) end, function() Sleep(2) error("the other one") end }
       end)
       return { problem = problem, text = File.read("given-up.txt"), changed = state.changed or false, notes = #notes.all() }`,
    );
    expect(await run.result()).toMatchObject({
      ...{ problem: expect.stringContaining('the other one') as string },
      ...{ text: 'before', changed: false, notes: 0 },
    });
    expect(names().filter((name) => name.startsWith('.given'))).toEqual([]);
    await sound(run);
  });

  it('of an agent tells the model what went wrong, and leaves nothing, also beside others', async () => {
    const save = (text: string) => ({ name: 'save', arguments: JSON.stringify({ text }) });
    around.provider.reply(
      { toolCalls: [save('bad'), { ...save('good'), id: 'second' }, { ...save('worse'), id: 'third' }] },
      { toolCalls: [save('bad'), { ...save('better'), id: 'second' }] },
      { text: 'done' },
    );
    const run = await start(
      `notes = Session.slice("notes")
       save = Tool { transaction = true, input = { text = field.string{} }, function(args)
         File.append(args.text .. ".txt", args.text)
         state[args.text] = true
         notes.append(args.text)
         if args.text == "bad" then error("can't be saved") end
         if args.text == "worse" then File.read("nowhere.txt") end
         return "saved"
       end }
       writer = Agent { model = "openai/gpt-5-mini", system_prompt = "s", tools = { save } }`,
      `writer({ message = "write" })
       return { state = State.all(), notes = notes.all(), files = File.list() }`,
    );
    expect(await run.result()).toEqual({
      state: { good: true, better: true },
      ...{ notes: ['good', 'better'], files: ['better.txt', 'good.txt'] },
    });
    const told = JSON.stringify(around.provider.requests[1]?.body);
    expect(told).toContain("can't be saved");
    expect(told).toContain("nowhere.txt doesn't exist");
    const { execution_log: log } = await run.log();
    const failed = log.filter(({ type, status }) => type === 'tool_call' && status === 'failed');
    expect(failed).toHaveLength(3);
    await sound(run);
  });

  it('in which branches change the same file puts back what was there before all of them', async () => {
    const run = await start(
      `change = Tool { transaction = true, function()
         Parallel.map({ 1, 2, 3 }, function(n) File.write("same.txt", "by " .. n) Sleep(1) File.append("same.txt", "!") end)
         error("no")
       end }`,
      `File.write("same.txt", "before")
       pcall(change, {})
       return File.read("same.txt")`,
    );
    expect(await run.result()).toBe('before');
    expect(names().filter((name) => name.startsWith('.same'))).toEqual([]);
    await sound(run);
  });

  it('is undone by an execution that goes on with another one', async () => {
    const run = await start(
      `notes = Session.slice("notes")
       change = Tool { transaction = true, input = { fails = field.boolean{} }, function(args)
         File.write("long.txt", "0")
         for i = 1, 20 do
           state.i = i
           notes.append(i)
           File.append("long.txt", "," .. i)
         end
         if args.fails then error("at the end") end
       end }`,
      `File.write("long.txt", "before")
       state.i = 0
       pcall(change, { fails = true })
       local first = { File.read("long.txt"), state.i, #notes.all() }
       change({ fails = false })
       return { first, state.i, #notes.all(), #File.read("long.txt") }`,
      { historyEvents: 40 },
    );
    expect(await run.result()).toEqual([['before', 0, 0], 20, 20, 52]);
    expect(await sound(run)).toBeGreaterThan(3);
  });

  it('leaves folders that it has made', async () => {
    const run = await start(
      `change = Tool { transaction = true, function()
         File.write("away/x.txt", "new")
         error("no luck")
       end }`,
      'return select(2, pcall(change, {}))',
    );
    expect(await run.result()).toContain('no luck');
    expect(names('away')).toEqual([]);
  });

  it('needs a function', async () => {
    const wrong = start('t = Tool { transaction = true, use = "host.x" }', 'return 1');
    await expect(wrong.then((run) => run.result())).rejects.toThrow(/transaction = true and no function/);
    const other = start('t = Tool { transaction = "yes", function() end }', 'return 1');
    await expect(other.then((run) => run.result())).rejects.toThrow(/transaction/);
  });
});
