import { readLink, type LinkClaims } from './link-token.js';
import { signatureProblem, type Verifiers } from './signature.js';

/** What a link says, or why it says nothing. Whether its time is over, its claims tell. */
export type VerifiedLink = { claims: LinkClaims; keyId: string } | { problem: string };

/** Whether a text is the token of a link that was signed with a key that is known. */
export function verifyLink(text: string, verifiers: Verifiers): VerifiedLink {
  const token = readLink(text);
  if (token === null) return { problem: 'it is none, or was cut' };
  const problem = signatureProblem(token, verifiers, 'the server');
  if (problem !== null) return { problem };
  const { claims, keyId } = token;
  return { claims, keyId };
}
