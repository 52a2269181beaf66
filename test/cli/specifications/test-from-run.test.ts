import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let provider: ProviderStandIn;
const here = (...args: string[]) => folder.runHere([...args, '--json']);

const trip = `
lookup = Tool {
  description = "looks up",
  input = { q = field.string { required = true } },
  function(args)
    if args.q == "bad" then error("no such thing") end
    return { n = #args.q }
  end,
}
clerk = Agent { model = "openai/gpt-5-mini", system_prompt = "You help.", tools = { lookup } }
judge = Agent {
  model = "openai/gpt-5-mini",
  system_prompt = "You judge.",
  output = { ok = field.boolean { required = true } },
}
mood = Model { type = "http", endpoint = "http://127.0.0.1:9/mood" }
Mocks {
  clerk = { message = 'Say "hi"', tool_calls = { { tool = "lookup", args = { q = "tea" } } } },
  judge = { temporal = { { data = { ok = true } }, { data = { ok = false } } } },
  mood = { temporal = { { returns = "calm" } } },
  http_client = { returns = { json = { total = 3 } } },
}
Procedure "part" {
  input = { n = field.number {} },
  output = { d = field.number {} },
  function(input) return { d = input.n * lookup({ q = "part" }).n } end,
}
Procedure {
  input = { name = field.string { required = true } },
  function(input)
    local first = Human.approve("Again?")
    local second = Human.approve("Again?")
    local found = pcall(lookup, { q = "bad" })
    local said = step("ask", function() return clerk("Hello").output end)
    local which = Human.select { message = "Which {one}] to }?", options = { "a", "b" } }
    local both = Parallel.map({ 1, 2 }, function(i) return lookup({ q = string.rep("y", i) }).n end)
    return {
      first = first,
      second = second,
      found = found,
      said = said,
      which = which,
      both = both,
      n = lookup({ q = input.name }).n,
      total = http_client.get("https://shop.example/x").json.total,
      judged = { judge("One?").output.ok, judge("Two?").output.ok },
      mood = mood("fine").output,
      part = part({ n = 4 }).d,
      child = Procedure.run("child.tac", { k = input.name }).x,
      late = Human.approve { message = "Late?", timeout = "1s", default = false },
      text = "two\\nlines, {braces} and a \\\\ with \\"quotes\\"",
    }
  end,
}
`;
const fails = `Procedure {
  function()
    if not Human.approve("Go on?") then error("turned down") end
    return { went = true }
  end,
}
`;

beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'sk-test' });
  folder.write('trip.tac', trip);
  folder.write(
    'child.tac',
    'Procedure { input = { k = field.string {} }, function(input) return { x = input.k .. "!" } end }\n',
  );
  folder.write('fails.tac', fails);
  const answers = ['true', 'false', '"b"'].flatMap((each) => ['--respond', each]);
  const name = ['--param', 'name=Ann'];
  const ended = await here('run', 'trip.tac', '--mock', '--id', 'trip-1', ...name, ...answers);
  // The last request passes by itself, while a command has a worker.
  await vi.waitFor(
    async () => expect((await here('status', 'trip-1')).json()['status'], ended.stderr).toBe('completed'),
    20_000,
  );
  const failed = await here('run', 'fails.tac', '--id', 'no', '--respond', 'false');
  expect(failed.code, failed.stderr).toBe(1);
  const open = await here('run', 'fails.tac', '--id', 'open');
  expect(open.code, open.stderr).toBe(3);
});
afterAll(async () => {
  await folder.close();
  await provider.close();
});

/** Tests a source with what was written of a run. */
async function tested(source: string, from: string) {
  folder.write('again.tac', `${source}\nSpecification { from = "${from}" }\n`);
  return here('test', 'again.tac', '--mock');
}

it('a run with agents, tools, people, branches, a child and a prediction is a scenario that passes, and finds changes', async () => {
  const written = await here('test', '--from-run', 'trip-1');
  expect(written.code, written.stderr).toBe(0);
  expect(written.json()).toMatchObject({
    run_id: 'trip-1',
    problems: [expect.stringContaining('has branches'), expect.stringContaining('is a run of its own')],
  });
  const text = folder.read('trip-1.feature');
  expect(text).toContain('# Not as in the run: parallel');
  expect(text).toContain('Given call 1 of the tool "lookup" fails with');
  expect(text).toContain('Given at 0, the person approves "Again?"');
  expect(text).toContain('Given at 1, the person rejects "Again?"');
  expect(text).toContain('Given nobody answers "Late?"');

  const same = await tested(trip, 'trip-1.feature');
  expect(same.json(), same.stdout).toMatchObject({ passed: 1, failed: 0 });
  const other = await tested(trip.replace('second = second,', 'second = true,'), 'trip-1.feature');
  expect(other.stdout).toContain('the output second is true, expected false');
  const fewer = await tested(
    trip.replace('local second = Human.approve("Again?")', 'local second = false'),
    'trip-1.feature',
  );
  expect(fewer.stdout).toContain('there are 2 of hitl_approval in the log');
});

it('what a model and requests answered in turn is answered again, and nobody is asked', async () => {
  const source = `
stock = Tool { description = "looks up", input = { q = field.string {} }, function(args)
  return { n = http_client.get("${provider.url}/stock?q=" .. args.q).json.n }
end }
clerk = Agent { model = "openai/gpt-5-mini", system_prompt = "You help.", tools = { stock } }
Procedure { function()
  local prices = {}
  for i = 1, 2 do prices[i] = http_client.get("${provider.url}/price").json.n end
  local said = clerk("Any tea?").output
  return { prices = prices, said = said, n = stock({ q = "tea" }).n }
end }
`;
  provider.reply(
    ...[{ json: { n: 3 } }, { json: { n: 4 } }],
    { toolCalls: [{ name: 'stock', arguments: '{"q":"tea"}' }] },
    ...[{ json: { n: 5 } }, { text: 'Five are left.' }, { json: { n: 6 } }],
  );
  folder.write('desk.tac', source);
  const ran = await here('run', 'desk.tac', '--id', 'desk-1');
  expect(ran.json(), ran.stderr).toMatchObject({
    output: { prices: [3, 4], said: 'Five are left.', n: 6 },
  });
  expect((await here('test', '--from-run', 'desk-1')).json()).toMatchObject({ problems: [] });
  provider.requests.length = 0;
  const same = await tested(source, 'desk-1.feature');
  expect(same.json(), same.stdout).toMatchObject({ passed: 1, failed: 0 });
  expect(provider.requests).toEqual([]);
});

it('a run that failed is to fail, also by the file that export wrote', async () => {
  const exported = await here('export', 'no', '--out', 'exported.json');
  expect(exported.code, exported.stderr).toBe(0);
  const written = await here('test', '--from-run', 'exported.json', '--output', 'failed.feature');
  expect(written.code, written.stderr).toBe(0);
  expect(folder.read('failed.feature')).toContain('Then the procedure should fail with "turned down"');
  const same = await tested(fails, 'failed.feature');
  expect(same.json(), same.stdout).toMatchObject({ passed: 1, failed: 0 });
  const other = await tested(
    fails.replace('error("turned down")', 'return { went = false }'),
    'failed.feature',
  );
  expect(other.stdout).toContain('the procedure completed');
});

it.each(['approval', 'joke', 'support-inbox'])('a run of the example %s passes as it is', async (name) => {
  copyFileSync(`examples/${name}.tac`, join(folder.path, `${name}.tac`));
  await here('run', `${name}.tac`, '--mock', '--id', name, '--respond', 'true', '--respond', 'true');
  const written = await here('test', '--from-run', name);
  expect(written.code, written.stderr).toBe(0);
  folder.write(`${name}.tac`, `${folder.read(`${name}.tac`)}\nSpecification { from = "${name}.feature" }\n`);
  const ended = await here('test', `${name}.tac`, '--mock', '--scenario', 'as in');
  expect(ended.json(), ended.stdout).toMatchObject({ passed: 1, failed: 0 });
});

it('what can not be written is refused, and no file is there', async () => {
  const unknown = await here('test', '--from-run', 'nobody');
  expect([unknown.code, unknown.stdout]).toEqual([2, expect.stringContaining('There is no run nobody')]);
  const open = await here('test', '--from-run', 'open');
  expect([open.code, open.stdout]).toEqual([2, expect.stringContaining('open has not ended')]);
  expect(existsSync(join(folder.path, 'open.feature'))).toBe(false);
  folder.write('kept.feature', 'mine');
  const there = await here('test', '--from-run', 'no', '--output', 'kept.feature');
  expect([there.code, there.stdout]).toEqual([2, expect.stringContaining('is there already')]);
  expect(folder.read('kept.feature')).toBe('mine');
  for (const args of [[], ['trip.tac', '--from-run', 'no'], ['trip.tac', '--output', 'x']]) {
    const wrong = await here('test', ...args);
    expect([wrong.code, wrong.stdout]).toEqual([
      2,
      expect.stringContaining('Name files to test, or --from-run'),
    ]);
  }
});
