/** What tokens are made of: a canonical JSON array of their version, six texts and two times in ms since 1970. */
export interface SignedArray {
  texts: [string, string, string, string, string, string];
  times: [issuedAt: number, expiresAt: number];
}

const length = 9;

/** The parts of such an array; null where a text is none of this version. */
export function readSignedArray(payload: string, version: string): SignedArray | null {
  let given: unknown;
  try {
    given = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!Array.isArray(given) || given.length !== length || given[0] !== version) return null;
  const texts = given.slice(1, 7) as unknown[];
  const times = given.slice(7) as unknown[];
  if (!texts.every((text) => typeof text === 'string' && text !== '')) return null;
  if (!times.every((time) => Number.isSafeInteger(time))) return null;
  return { texts, times } as SignedArray;
}
