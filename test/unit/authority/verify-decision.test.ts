import { describe, expect, it } from 'vitest';
import { generateKey, signingKeyOfPem, signingKeyOfSecret } from '../../../src/authority/signature.js';
import { signDecision, verifyDecision, type Verified } from '../../../src/authority/signed-decisions.js';
import { readToken, tokenPayload, tokenText } from '../../../src/contract/authority/approval-token.js';
import type { Decision } from '../../../src/contract/people/decision.js';

const at = Date.parse('2026-11-24T12:00:00Z');
const minute = 60_000;
const newer = generateKey();
const older = generateKey();
const secret = 'a secret of more than thirty-two characters';
const keys = {
  new: { ed25519: newer.ed25519 },
  old: { ed25519: older.ed25519 },
  mac: { hmac: 'APPROVAL_SECRET' },
};
const newKey = signingKeyOfPem('new', newer.privatePem);
const oldKey = signingKeyOfPem('old', older.privatePem);
const macKey = signingKeyOfSecret('mac', secret);
const decision: Decision = { request: 'run/a/3', value: true, by: 'ann', digest: 'd1', comment: 'fine' };
const signing = { namespace: 'default', key: newKey, at };
const signed = signDecision(decision, signing);

function verified(
  given: Decision,
  options: { at?: number; keys?: object; secret?: string | null } = {},
): Verified {
  return verifyDecision(given, {
    ...{ namespace: 'default', runId: 'run/a', at: options.at ?? at },
    keys: (options.keys ?? keys) as typeof keys,
    secretOf: () => (options.secret === undefined ? secret : options.secret),
  });
}

describe('a signed decision', () => {
  it.each([newKey, oldKey, macKey])('is verified by the key that it names: $id', (key) => {
    const given = signDecision(decision, { ...signing, key });
    expect(verified(given)).toEqual({ outcome: 'verified', approver: 'ann', keyId: key.id });
    expect(verified({ ...given, id: 'sent again' })).toMatchObject({ outcome: 'verified' });
  });

  it.each<[string, Partial<Decision>, string]>([
    ['request', { request: 'run/a/4' }, 'another request'],
    ['value', { value: false }, 'another value'],
    ['comment', { comment: 'not fine' }, 'another value, comment'],
    ['digest', { digest: 'd2' }, 'another digest'],
    ['by', { by: 'eve' }, 'the decision names "eve"'],
  ])('with another %s is refused', (_, change, why) => {
    const verdict = verified({ ...signed, ...change });
    expect(verdict).toMatchObject({ outcome: 'not_allowed' });
    expect(verdict).toHaveProperty('message', expect.stringContaining(why));
  });

  it('of another run, or another namespace, is refused', () => {
    const options = { keys, secretOf: () => null, at };
    expect(verifyDecision(signed, { ...options, namespace: 'default', runId: 'run/b' })).toHaveProperty(
      'message',
      expect.stringContaining('another run'),
    );
    expect(verifyDecision(signed, { ...options, namespace: 'other', runId: 'run/a' })).toHaveProperty(
      'message',
      expect.stringContaining('another namespace'),
    );
  });

  it.each([
    ['namespace', 'default'],
    ['workflowId', 'run/a'],
    ['request', 'run/a/3'],
    ['digest', 'd2'],
    ['decided', 'x'],
    ['approver', 'eve'],
    ['issuedAt', at - 1],
    ['expiresAt', at + 1e9],
  ])('whose %s was written anew is refused', (field, value) => {
    const token = readToken(signed.token);
    if (token === null) throw new Error('no token');
    const claims = { ...token.claims, [field]: value };
    // Fields that stay as they are make a token that is still real: the payload is the same to the letter.
    const isSame = JSON.stringify(claims) === JSON.stringify(token.claims);
    const forged = tokenText(token.keyId, token.signature, tokenPayload(claims));
    const { by: _by, digest: _digest, ...rest } = signed;
    expect(verified({ ...rest, token: forged }).outcome).toBe(isSame ? 'verified' : 'not_allowed');
  });

  it.each([
    ['11 min after its end', 10 * minute + 11 * minute, 'expired'],
    ['10 min before it was made', -10 * minute, 'yet to come'],
  ])('is refused %s', (_, later, why) => {
    expect(verified(signed, { at: at + later })).toMatchObject({ outcome: 'not_allowed' });
    expect(verified(signed, { at: at + later })).toHaveProperty('message', expect.stringContaining(why));
  });

  it('holds while clocks differ by a few minutes', () => {
    expect(verified(signed, { at: at - 4 * minute }).outcome).toBe('verified');
    expect(verified(signed, { at: at + 14 * minute }).outcome).toBe('verified');
  });

  it('is refused without its key, with another under its id, and with a secret in place of a key', () => {
    expect(verified(signed, { keys: { old: keys.old } })).toHaveProperty(
      'message',
      'the worker that verifies decisions has no key new',
    );
    expect(verified(signed, { keys: { new: keys.old } }).outcome).toBe('not_allowed');
    const mac = signDecision(decision, { ...signing, key: signingKeyOfSecret('new', newer.ed25519) });
    expect(verified(mac, { secret: newer.ed25519 }).outcome).toBe('not_allowed');
    const byMac = signDecision(decision, { ...signing, key: macKey });
    expect(verified(byMac, { secret: null })).toHaveProperty(
      'message',
      expect.stringContaining('APPROVAL_SECRET'),
    );
    expect(verified(byMac, { secret: `${secret}!` }).outcome).toBe('not_allowed');
    expect(verified(signed, { keys: Object.create({ new: keys.new }) as object }).outcome).toBe(
      'not_allowed',
    );
  });

  it.each([
    '',
    'x',
    'new.sig',
    'new.sig.[]',
    'new..[1]',
    signed.token.slice(0, -1),
    `x${signed.token.slice(3)}`,
  ])('with the token %j is refused', (token) => {
    expect(['invalid', 'not_allowed']).toContain(verified({ ...signed, token }).outcome);
  });

  it('needs a person, what the person saw, and a request', () => {
    for (const change of [{ by: '' }, { digest: '' }, { request: '3' }])
      expect(() => signDecision({ ...decision, ...change }, signing)).toThrow();
    expect(() => signingKeyOfSecret('mac', 'short')).toThrow('32');
    expect(() => signingKeyOfPem('a.b', newer.privatePem)).toThrow('no id');
    expect(() => signingKeyOfPem('a', 'nothing')).toThrow('PEM');
  });
});
