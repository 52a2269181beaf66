import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(
    'book.tac',
    `Procedure { cancel_timeout = "1h", function()
      defer("close", function() end)
      defer("refund", function() Human.input { message = "refunded?" } end)
      return Human.approve("Pay?")
    end }`,
  );
  expect((await folder.runHere(['run', 'book.tac', '--id', 'one', '--json'])).code).toBe(3);
});
afterAll(() => folder.close());

const status = async (): Promise<{ status: string; cancelling?: { until: string } }> =>
  (await folder.runHere(['status', 'one', '--json'])).json() as never;

it('status tells until when a cancelled run has time, and what is left, also to whoever follows it', async () => {
  expect(await status()).not.toHaveProperty('cancelling');
  const cancelled = await folder.runHere(['cancel', 'one', '--reason', 'the trip is off', '--json']);
  expect(cancelled.code).toBe(3);
  // The server writes down why.
  const data = join(folder.path, '.tactus-temporal');
  const written = readdirSync(data).filter((name) => name.startsWith('temporal.sqlite'));
  expect(written.some((name) => readFileSync(join(data, name)).includes('the trip is off'))).toBe(true);
  expect(cancelled.json()).toEqual({ run_id: 'one', status: 'cancelling', stuck: null });
  const view = await status();
  expect(view).toMatchObject({
    status: 'cancelling',
    cancelling: { left: ['refund', 'close'] },
  });
  const text = /cancelling since \S+, until \S+ at the latest; left: refund, close/;
  expect((await folder.runHere(['status', 'one'])).stdout).toMatch(text);
  const followed = await folder.runHere(['resume', 'one', '--json']);
  expect(followed.code).toBe(3);
  expect(followed.stderr).toMatch(new RegExp(`The run is ${text.source}\\.`));
  expect(followed.json()).toMatchObject({ cancelling: { until: view.cancelling?.until } });
  const answered = await folder.runHere(['respond', 'one/1.0', 'by hand', '--json']);
  expect(answered.json()).toMatchObject({ outcome: 'accepted' });
  const ended = await folder.runHere(['resume', 'one', '--json']);
  expect(ended.json()).toMatchObject({ status: 'cancelled' });
  expect(ended.json()).not.toHaveProperty('cancelling');
});
