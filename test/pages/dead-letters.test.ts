import { expect, it, describe } from 'vitest';
import { hasBrowser } from '../support/browser.js';
import { startReceiver } from '../support/message-receiver.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { procedureOf } from '../support/procedure-source.js';
import { expectAccessible, expectNoSideScroll } from '../support/served-page.js';

describe.skipIf(!hasBrowser)('the page of dead letters', () => {
  const under = pageUnderTest();

  it('lists calls that gave up, requeues one and drops the other', async () => {
    const nobody = await startReceiver();
    await nobody.close();
    const { page } = under.ann;
    for (const runId of ['lost-1', 'lost-2']) {
      const run = await under.server.tactus.start(
        procedureOf(`return http_client.get("${nobody.url}").status`),
        {},
        { runId },
      );
      await expect(run.result()).rejects.toMatchObject({ code: 'http_failed' });
    }
    await under.ann.open('/dead-letters?prefix=lost-');
    const row = (id: string) => page.locator('.row').filter({ hasText: id });
    await row('lost-1/0').waitFor();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await row('lost-1/0').getByRole('button', { name: 'Requeue' }).click();
    await row('lost-1/0').waitFor({ state: 'detached' });
    await row('lost-2/0').getByRole('button', { name: 'Drop' }).click();
    await row('lost-2/0').getByRole('button', { name: 'Yes, drop it' }).click();
    await row('lost-2/0').waitFor({ state: 'detached' });
    await page.getByLabel('Settled ones too').check();
    await row('lost-2/0').getByText('dropped').first().waitFor();
    await row('lost-1/0')
      .getByRole('link', { name: /^lost-1-requeued-/ })
      .waitFor();
  });
});
