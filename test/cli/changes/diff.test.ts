import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
const run = (...args: string[]) => folder.runHere([...args, '--json']);

beforeAll(async () => {
  folder = cliFolder();
  folder.write(
    'order.tac',
    `Procedure { input = { item = field.string {} }, function(input)
  local price = checkpoint(function() return #input.item end)
  local ok = Human.approve("Buy?")
  local child = Procedure.spawn("child.tac", {})
  if ok then File.write("bought.txt", input.item) end
  return { price = price, ok = ok }
end }`,
  );
  folder.write('child.tac', 'Procedure { function() return 1 end }');
  folder.write(
    'passes.tac',
    `Procedure { input = { n = field.integer { default = 0 } }, function(input)
  checkpoint(function() return input.n end)
  if input.n < 2 then Procedure.continue_as_new { n = input.n + 1 } end
  checkpoint(function() return "over" end)
  return input.n
end }`,
  );
  for (const [id, item, answer] of [
    ['one', 'ship', 'true'],
    ['same', 'ship', 'true'],
    ['no', 'ship', 'false'],
    ['other', 'boats', 'true'],
  ] as const)
    expect(
      (await run('run', 'order.tac', '--id', id, '--param', `item=${item}`, '--respond', answer)).code,
    ).toBe(0);
});

afterAll(() => folder.close());

it('finds two runs the same whose times and whose own ids alone differ', async () => {
  const same = await run('diff', 'one', 'same');
  expect(same.json(), same.stderr).toEqual({ same: 4, entries: [], missing: { left: 0, right: 0 } });
  expect(same.code).toBe(0);
});

it('gives both sides of each position that differs', async () => {
  const diff = await run('diff', 'one', 'no');
  expect(diff.code).toBe(1);
  expect(diff.json()).toEqual({
    same: 2,
    missing: { left: 0, right: 0 },
    entries: [
      {
        position: '1',
        left: expect.objectContaining({
          type: 'hitl_approval',
          name: 'Buy?',
          result: expect.objectContaining({ value: true }) as unknown,
        }) as unknown,
        right: expect.objectContaining({
          result: expect.objectContaining({ value: false }) as unknown,
        }) as unknown,
      },
      { position: '3', left: expect.objectContaining({ type: 'file', error: null }) as unknown, right: null },
    ],
  });
});

it('compares what was asked for, too, and shows it to people', async () => {
  const diff = await folder.runHere(['diff', 'one', 'other']);
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain('0  explicit_checkpoint checkpoint\n result\n  - 4\n  + 5\n    ^');
  expect(diff.stdout).toMatch(/3 {2}file write bought\.txt\n input\n.*"content":"ship"/);
});

it('compares all passes of a run, and runs of different procedures', async () => {
  await run('run', 'passes.tac', '--id', 'from-0');
  await run('run', 'passes.tac', '--id', 'from-1', '--param', 'n=1');
  const diff = await run('diff', 'from-0', 'from-1');
  expect(diff.json()).toMatchObject({
    same: 0,
    entries: [
      { position: '0', left: { result: 0 }, right: { result: 1 } },
      { position: '2', left: { result: 1 }, right: { result: 2 } },
      { position: '3', left: null, right: { result: 'over' } },
      { position: '4', left: { result: 2 }, right: null },
      { position: '5', left: { result: 'over' }, right: null },
    ],
  });
  expect((await run('diff', 'one', 'from-0')).code).toBe(1);
});

it('refuses what is no run', async () => {
  const unknown = await run('diff', 'one', 'nobody');
  expect({ code: unknown.code, answer: unknown.json() }).toMatchObject({
    code: 2,
    answer: { error: { code: 'run_not_found' } },
  });
});
