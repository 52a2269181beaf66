import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let provider: ProviderStandIn;
let folder: CliFolder;
beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write(
    'ask.tac',
    'helper = Agent { model = "openai/gpt-x" }\nProcedure { function() return helper("a").output end }\n',
  );
});
afterAll(async () => {
  await folder?.close();
  await provider?.close();
});

const broken = { status: 500, headers: { 'retry-after': '2' }, body: { error: { message: 'broken' } } };

it('whoever follows a run sees each attempt that failed, and when the next one is', async () => {
  provider.reply(broken, broken, { text: 'at last' });
  const ended = await folder.runHere(['run', 'ask.tac']);
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: 'at last\n' });
  const told = ended.stderr.split('\n').filter((line) => line.startsWith('Trying again in'));
  expect(told).toEqual(
    [2, 3].map(
      (attempt) =>
        expect.stringMatching(
          new RegExp(
            `^Trying again in [12] s \\(attempt ${attempt} of 10\\): openai/gpt-x: answered 500: broken$`,
          ),
        ) as string,
    ),
  );
  // The line that ends them.
  expect(ended.stderr).toContain(
    'Trying again has succeeded (attempt 3 of 10); before: openai/gpt-x: answered 500: broken',
  );
});

it('counts the last attempt as it counts those before, where it fails too', async () => {
  folder.write('ask.tac.yml', 'retries: 1\n');
  provider.reply(broken, broken);
  const ended = await folder.runHere(['run', 'ask.tac']);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/Trying again in [12] s \(attempt 2 of 2\)/);
  expect(ended.stderr).toContain('Trying again has failed (attempt 2 of 2), and ends:');
  expect(ended.stderr).toContain('answered 500: broken; asks to come back in 2 s (attempt 2 of 2)');
});

it('configuration beside the procedure says how often', async () => {
  folder.write('ask.tac.yml', 'retries: 0\n');
  provider.reply(() => broken);
  const before = provider.requests.length;
  const ended = await folder.runHere(['run', 'ask.tac']);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('answered 500: broken');
  expect(provider.requests).toHaveLength(before + 1);
  folder.write('ask.tac.yml', 'retries: many\n');
  const refused = await folder.runHere(['run', 'ask.tac']);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('retries must be an integer from 0 to 100') as string,
  });
});
