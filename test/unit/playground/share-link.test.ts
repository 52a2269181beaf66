import { deflateSync, strToU8 } from 'fflate';
import { expect, it } from 'vitest';
import { examples } from '../../../src/playground/procedures/examples.js';
import { draftOf, linkOf } from '../../../src/playground/procedures/share-link.js';

function packed(value: unknown): string {
  return `#code=${Buffer.from(deflateSync(strToU8(JSON.stringify(value)))).toString('base64url')}`;
}

it('a link gives back what it was made of', () => {
  for (const { text, input, script } of [...examples, { text: '-- 界 😀\n', input: '', script: '' }]) {
    const link = linkOf({ text, input, script });
    expect(link).toMatch(/^#code=[\w-]+$/);
    expect(draftOf(link)).toEqual({ text, input, script });
  }
});

it.each([
  ['nothing', ''],
  ['another part of a page', '#log'],
  ['no base64', '#code=%%%'],
  ['no deflated text', '#code=aGVsbG8'],
  ['no JSON', `#code=${Buffer.from(deflateSync(strToU8('{"text"'))).toString('base64url')}`],
  ['a list', packed([])],
  ['fields that are no texts', packed({ text: 1, input: '', script: '' })],
  ['too much', `#code=${'A'.repeat(200_001)}`],
  ['what unpacks to too much', packed({ text: ' '.repeat(3_000_000), input: '', script: '' })],
])('of %s it gives nothing', (_, hash) => {
  expect(draftOf(hash)).toBeNull();
});
