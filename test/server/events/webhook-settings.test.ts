import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { SeenInFile } from '../../../src/server/events/webhooks/seen-messages.js';
import { webhooksOf } from '../../../src/server/events/webhooks/webhooks.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const good = {
  standard: 'whsec_c2VjcmV0LW9mLXBheW1lbnRzLWFuZC1tb3Jl',
  text: 'the-secret-of-git-is-no-short-one',
};

describe('secrets of webhooks', () => {
  const configured = (secret: string, scheme: string) => () => {
    const settings = readServerSettings({
      webhooks: { pay: { secret: 'WEAK', scheme, run: 'r', event: 'e' } },
    });
    return webhooksOf(settings, { env: { WEAK: secret }, served: ['default'] });
  };

  it.each([
    ['', 'standard'],
    ['x', 'body'],
    ['x', 'standard'],
    ['whsec_', 'standard'],
    ['whsec_', 'body'],
    ['whsec_AA==', 'standard'],
    ['whsec_****************************************', 'standard'],
    ['whsec_not base64 at all, and long enough to be one', 'standard'],
    ['x'.repeat(64), 'body'],
    ['ab'.repeat(40), 'standard'],
    [`whsec_${'A'.repeat(64)}`, 'standard'],
    ['twenty-three-characters', 'body'],
  ])('that are guessed, such as %j for %s, are refused', (secret, scheme) => {
    expect(configured(secret, scheme)).toThrow(/WEAK/);
  });

  it('that nobody guesses are taken', () => {
    expect(configured(good.standard, 'standard')).not.toThrow();
    expect(configured(good.text, 'body')).not.toThrow();
    expect(configured(good.text, 'standard')).not.toThrow();
  });
});

describe('messages that were seen', () => {
  it('are forgotten when their time alone refuses them', async () => {
    const seen = await SeenInFile.open(join(temporaryFolder('seen-messages'), 'state', 'times.sqlite'));
    await seen.add('old', Date.now() - 1);
    await seen.add('for good', null);
    await seen.add('new', Date.now() + 60_000);
    expect([await seen.has('old'), await seen.has('for good'), await seen.has('new')]).toEqual([
      ...[false, true, true],
    ]);
    await seen.close();
    await expect(SeenInFile.open('/dev/null/seen.sqlite')).rejects.toThrow(/webhooks_file/);
  });
});
