import { describe, expect, it } from 'vitest';
import {
  generateKey,
  signatureOf,
  signingKeyOfPem,
  signingKeyOfSecret,
} from '../../../src/authority/signature.js';
import { signDecision, verifyDecision } from '../../../src/authority/signed-decisions.js';
import {
  linkPayload,
  linkText,
  readLink,
  signLink,
  verifyLink,
  type LinkClaims,
  type LinkedRequest,
} from '../../../src/authority/signed-links.js';
import { readToken } from '../../../src/contract/authority/approval-token.js';

const at = Date.parse('2026-11-24T12:00:00Z');
const day = 86_400_000;
const newer = generateKey();
const older = generateKey();
const secret = 'a secret of more than thirty-two characters';
const keys = { new: { ed25519: newer.ed25519 }, old: { ed25519: older.ed25519 }, mac: { hmac: 'LINKS' } };
const verifiers = { keys, secretOf: () => secret };
const key = signingKeyOfPem('new', newer.privatePem);
const validMs = 7 * day;
const request: LinkedRequest = {
  ...{ id: 'orders/42/3', run_id: 'orders/42', digest: 'd1', created_at: '2026-11-24T11:00:00.000Z' },
  deadline: null,
};
const asked = { approver: 'änn <a@b>', namespace: 'default', at };

function linkOf(change: Partial<LinkedRequest> = {}, signing = key): string {
  const token = signLink({ ...request, ...change }, asked, { key: signing, validMs });
  if (token === null) throw new Error('there is no link');
  return token;
}

const claimsOf = (token: string): LinkClaims | undefined => readLink(token)?.claims;

describe('a link', () => {
  it.each([key, signingKeyOfPem('old', older.privatePem), signingKeyOfSecret('mac', secret)])(
    'holds by the key that it names: $id',
    (signing) => {
      const token = linkOf({}, signing);
      expect(token).toMatch(/^[\w.-]+$/);
      expect(verifyLink(token, verifiers)).toEqual({
        keyId: signing.id,
        claims: {
          ...{ namespace: 'default', workflowId: 'orders/42', request: 'orders/42/3', digest: 'd1' },
          ...{ askedAt: '2026-11-24T11:00:00.000Z', approver: 'änn <a@b>' },
          ...{ issuedAt: at, expiresAt: at + validMs },
        },
      });
    },
  );

  it('ends with its request, whichever of its times comes first, and there is none where no time is left', () => {
    const time = (ms: number): string => new Date(at + ms).toISOString();
    expect(claimsOf(linkOf({ deadline: time(day) }))?.expiresAt).toBe(at + day);
    expect(claimsOf(linkOf({ deadline: time(2 * day), expires_at: time(day) }))?.expiresAt).toBe(at + day);
    expect(claimsOf(linkOf({ deadline: time(90 * day) }))?.expiresAt).toBe(at + validMs);
    expect(signLink({ ...request, deadline: time(0) }, asked, { key, validMs })).toBeNull();
    expect(signLink({ ...request, id: `${'x'.repeat(3_000)}/0` }, asked, { key, validMs })).toBeNull();
  });

  it('is refused where it is forged, tampered with, cut, or by a key that is gone', () => {
    const token = linkOf();
    const [id = '', signature = ''] = token.split('.');
    const claims = claimsOf(token) as LinkClaims;
    const changed = (change: Partial<LinkClaims>): string =>
      linkText({ keyId: id, signature, payload: linkPayload({ ...claims, ...change }) });
    const stranger = signingKeyOfPem('new', generateKey().privatePem);
    const refused: [string, string][] = [
      ['', 'none'],
      ['none', 'none'],
      [token.slice(0, -5), 'none'],
      [`${token}?utm=1`, 'none'],
      ['x'.repeat(100_000), 'none'],
      [linkOf({}, stranger), "isn't signed with the key new"],
      [linkOf({}, signingKeyOfSecret('new', secret)), "isn't signed with the key new"],
      [changed({ approver: 'eve' }), "isn't signed"],
      [changed({ request: 'orders/42/4' }), "isn't signed"],
      [changed({ workflowId: 'orders/43' }), "isn't signed"],
      [changed({ namespace: 'other' }), "isn't signed"],
      [changed({ digest: 'd2' }), "isn't signed"],
      [changed({ expiresAt: claims.expiresAt + day }), "isn't signed"],
      [changed({ askedAt: 'another time' }), "isn't signed"],
    ];
    for (const [given, why] of refused)
      expect([given, verifyLink(given, verifiers)]).toEqual([
        given,
        { problem: expect.stringContaining(why) as string },
      ]);
    const { new: _, ...left } = keys;
    expect(verifyLink(token, { ...verifiers, keys: left })).toEqual({
      problem: 'the server has no key new',
    });
  });

  it('is no decision, and a decision no link, however they are written, though one key signs both', () => {
    const link = linkOf();
    const payload = readLink(link)?.payload ?? '';
    const [, signature = ''] = link.split('.');
    const decision = { request: request.id, digest: 'd1', value: true, by: asked.approver };
    const at_ = { namespace: 'default', runId: 'orders/42', at };
    for (const token of [link, `new.${signature}.${payload}`]) {
      expect(readToken(token)).toBeNull();
      expect(verifyDecision({ ...decision, token }, { ...at_, ...verifiers })).toMatchObject({
        outcome: 'invalid',
      });
    }
    const { token } = signDecision(decision, { namespace: 'default', key, at });
    const parts = readToken(token);
    expect(verifyLink(token, verifiers)).toHaveProperty('problem');
    expect(verifyLink(linkText(parts as NonNullable<typeof parts>), verifiers)).toHaveProperty('problem');
    // What would be needed is a signature of the other text.
    const other = parts?.payload.replace('tactus-approval-v1', 'tactus-link-v1') ?? '';
    const forged = linkText({
      keyId: 'new',
      signature: signatureOf(key, parts?.payload ?? ''),
      payload: other,
    });
    expect(verifyLink(forged, verifiers)).toEqual({
      problem: expect.stringContaining("isn't signed with") as string,
    });
  });
});
