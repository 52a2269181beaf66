import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

/** `tenant_budgets` of the configuration, and `tenants`. */

let folder: CliFolder;
let provider: ProviderStandIn;

beforeEach(async () => {
  provider = await startProviderStandIn();
  provider.reply(() => ({ text: 'Hello', usage: { input: 90, output: 10 } }));
  folder = cliFolder({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write(
    '.tactus/config.yml',
    `prices: { openai/gpt-own: { input: 10000, output: 10000 } }
tenant_budgets:
  "*": { cost: 100, model_calls: 50, per: day }
  acme: { tokens: 150, per: month }
`,
  );
  folder.write(
    'main.tac',
    `writer = Agent { model = "openai/gpt-own", system_prompt = "Write." }
     Procedure { function() writer("one") writer("two") return writer("three").output end }`,
  );
});
afterEach(async () => {
  await folder.close();
  await provider.close();
});

const run = (tenant: string, id: string) =>
  folder.runHere(['run', 'main.tac', '--id', id, '--fairness-key', tenant, '--json']);

describe('tenants', () => {
  it('shows what each has used of its budget, and a run whose tenant has used it up waits', async () => {
    const ended = await run('other', 'one');
    expect(ended.code, ended.stderr).toBe(0);
    const held = await run('acme', 'two');
    expect(held.code, held.stderr).toBe(3);
    expect(held.stderr).toMatch(
      /tenant:acme is held by tenant_budgets since \S+ until \S+: the budget is used up: 200 of 150 tokens each month/,
    );
    expect(provider.requests).toHaveLength(5);
    const { tenants } = (await folder.runHere(['tenants', '--json'])).json();
    const now = new Date();
    const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
    expect(tenants).toEqual([
      {
        ...{ tenant: 'acme', per: 'month', cost: 2, tokens: 200, model_calls: 2, unpriced_calls: 0 },
        from: new Date(Date.UTC(year, month)).toISOString(),
        until: new Date(Date.UTC(year, month + 1)).toISOString(),
        ...{ budget: { tokens: 150 }, is_held: true },
      },
      {
        ...{ tenant: 'other', per: 'day', cost: 3, tokens: 300, model_calls: 3, unpriced_calls: 0 },
        from: new Date(Date.UTC(year, month, day)).toISOString(),
        until: new Date(Date.UTC(year, month, day + 1)).toISOString(),
        ...{ budget: { cost: 100, model_calls: 50 }, is_held: false },
      },
    ]);
    const { stdout } = await folder.runHere(['tenants']);
    expect(stdout).toMatch(
      /^acme {2}this month: \$2\.0000, 200 of 150 tokens, 2 calls of models, held\nother {2}this day: \$3\.0000 of 100, 300 tokens, 3 of 50 calls of models\n$/,
    );
    expect((await folder.runHere(['hold', 'release', 'tenant:acme'])).code).toBe(0);
    expect((await folder.runHere(['resume', 'two', '--json'])).json()).toMatchObject({ output: 'Hello' });
  });

  it('are refused where they are wrong, with nothing started', async () => {
    folder.write('.tactus/config.yml', 'tenant_budgets: { acme: { cost: 20 } }');
    const { code, stderr } = await run('acme', 'one');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('tenant_budgets.acme.per must be one of hour, day, month'),
    ]);
  });
});
