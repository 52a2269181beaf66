import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let provider: ProviderStandIn;

beforeAll(async () => {
  provider = await startProviderStandIn();
  provider.reply(() => ({ text: 'done' }));
  folder = cliFolder({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write(
    'write.tac',
    `writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
     Procedure { function() return writer("Write").output end }`,
  );
});
afterAll(async () => {
  await folder.close();
  await provider.close();
});

const json = async (...args: string[]): Promise<{ code: number; answer: unknown; stderr: string }> => {
  const ended = await folder.runHere([...args, '--json']);
  return { code: ended.code ?? -1, answer: ended.json(), stderr: ended.stderr };
};

const held = { target: 'provider:openai', reason: 'outage', by: 'ann', until: null };

describe('hold', () => {
  it('add keeps calls from being made, and shows in list and status', async () => {
    expect(await json('hold', 'list')).toMatchObject({ code: 0, answer: { holds: [] } });
    const added = await json('hold', 'add', 'provider:openai', '--reason', 'outage', '--as', 'ann');
    expect(added).toMatchObject({ code: 0, answer: { holds: [{ ...held, waiting: 0 }] } });
    const followed = await folder.runHere(['run', 'write.tac', '--id', 'one']);
    expect(followed.code).toBe(3);
    expect(followed.stderr).toMatch(/provider:openai is held by ann since \S+: outage/);
    expect(followed.stderr).toMatch(/To go on: .*hold release provider:openai/);
    expect(await json('status', 'one')).toMatchObject({
      answer: { status: 'running', held: [{ ...held, waiting: 1 }], waits: [{ hold: 'provider:openai' }] },
    });
    expect((await folder.runHere(['status', 'one'])).stdout).toMatch(/by the hold of provider:openai\)/);
    expect((await folder.runHere(['hold', 'list'])).stdout).toMatch(
      /^provider:openai is held by ann since \S+: outage \(1 waiting\)/,
    );
    expect(provider.requests).toHaveLength(0);
  });

  it('release lets them go', async () => {
    expect(await json('hold', 'release', 'provider:openai')).toMatchObject({
      code: 0,
      answer: { holds: [] },
    });
    expect(await json('resume', 'one')).toMatchObject({ code: 0, answer: { output: 'done' } });
    expect(await json('hold', 'release', 'provider:openai')).toMatchObject({
      code: 2,
      answer: { error: { code: 'change_refused' } },
    });
  });

  it.each([
    [['add', 'openai', '--reason', 'x']],
    [['add', 'provider:openai']],
    [['add', 'provider:openai', '--reason', 'x', '--until', 'later']],
    [['add', 'provider:openai', '--reason', 'x', '--until', '2020-01-01']],
    [['release', 'provider:openai', '--rate', 'fast']],
  ])('refuses %j', async (args) => {
    expect(await json('hold', ...args)).toMatchObject({ code: 2, answer: { error: { code: 'usage' } } });
  });
});
