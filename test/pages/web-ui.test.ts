import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder, type WorkerCommand } from '../support/cli-folder.js';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { waitUntil } from '../support/wait-until.js';

/** Something of each kind, up to a question. */
const procedure = `
writer = Agent { model = "openai/gpt-5-mini", system_prompt = "You write release notes." }
scorer = Model { type = "mock", value = { score = 1 } }

Procedure {
  input = { changes = field.string{required = true} },
  function(input)
    File.write("notes/draft.txt", writer(input.changes).text)
    writer("Shorter")
    step("review", function() writer("Shorter still") Sleep(1) end)
    Procedure.spawn("child.tac", {})
    scorer.predict({})
    return { sent = Human.approve { message = "Publish this?", timeout = "21d", default = false } }
  end,
}`;

const child = `Procedure { function() return { ok = Human.approve("And this?") } end }`;

/** `SCREENSHOTS=keep` puts what the tests saw into the documents. */
const pictures = process.env['SCREENSHOTS'] === 'keep' ? resolve('docs/images') : null;

describe.skipIf(!hasBrowser)("a run in Temporal's Web UI", () => {
  let folder: CliFolder;
  let provider: ProviderStandIn;
  let worker: WorkerCommand;
  let browser: Browser;
  let page: Page;
  let ui: string;

  beforeAll(async () => {
    provider = await startProviderStandIn();
    provider.reply(() => ({ text: 'Starts faster.' }));
    folder = cliFolder({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${provider.url}/v1` });
    folder.write('release.tac', procedure);
    folder.write('child.tac', child);
    await folder.run(['server', 'start']);
    ui = (await folder.run(['server', 'status', '--json'])).json()['ui'] as string;
    worker = await folder.worker();
    await folder.run(['start', 'release.tac', '--param', 'changes=Faster', '--id', 'release-7']);
    await waitUntil(async () => {
      const { pending } = (await folder.run(['pending', '--json'])).json();
      return Array.isArray(pending) && pending.length === 2;
    });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  });
  afterAll(async () => {
    await browser?.close();
    await worker?.stop();
    await folder?.close();
    await provider?.close();
  });

  /** A tab of the run's page, as soon as it shows a text. */
  async function open(tab: string, text: string): Promise<string> {
    await page.goto(`${ui}/namespaces/default/workflows/release-7`);
    await page.getByRole('tab', { name: tab }).click();
    // What is hidden, as the texts of menus are, doesn't count.
    return waitUntil(async () => {
      const shown = await page.innerText('body');
      return shown.includes(text) && shown;
    });
  }

  async function keepPicture(name: string): Promise<void> {
    if (pictures !== null) await page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  it('has turns, questions, waits and child runs by their names in the timeline', async () => {
    const text = await open('Timeline', 'time to answer');
    for (const turn of [1, 2, 3])
      expect(text).toContain(`modelCall • writer · turn ${turn} · openai/gpt-5-mini`);
    for (const name of ['sleep 1s', 'scorer', 'child', 'time to answer: Publish this?'])
      expect(text.split('\n').map((line) => line.replace(/.* • /, ''))).toContain(name);
    expect(text).not.toContain('breathe');
    await keepPicture('web-ui');
  });

  it('shows its input before its source', async () => {
    const text = await open('Timeline', '"changes": "Faster"');
    expect(text.indexOf('"changes": "Faster"')).toBeLessThan(text.indexOf('"source"'));
  });

  it('has files by their names in the history', async () => {
    expect(await open('Event History', 'Local Activity')).toContain('write notes/draft.txt');
  });

  it('says what it waits for, and with which command that is answered', async () => {
    await open('User Metadata', 'Current Details');
    const shown = async (text: string): Promise<void> => {
      const frames = page.frames().map((frame) => frame.getByText(text).first().waitFor({ timeout: 60_000 }));
      await Promise.any(frames);
    };
    await shown('Publish this?');
    await shown('tactus-temporal respond release-7/6 y');
    await keepPicture('web-ui-details');
  });

  it('names its procedure in memo and search attributes, by which it is found', async () => {
    expect(await open('Memo', 'procedure')).toContain('"procedure": "release"');
    expect(await open('Search Attributes', 'TactusStatus')).toContain('"waiting_for_human"');
    const query = `TactusStatus="waiting_for_human" AND TactusProcedure="child"`;
    await page.goto(`${ui}/namespaces/default/workflows?query=${encodeURIComponent(query)}`);
    await page.getByRole('link', { name: 'release-7/4' }).first().waitFor();
  });
});
