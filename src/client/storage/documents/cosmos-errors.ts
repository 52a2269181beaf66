/** What an answer is known by: a status of HTTP, which a second one may say more exactly, or what became of the connection. */
interface Answered {
  code?: number | string | undefined;
  substatus?: number | undefined;
}

export function codeOf(error: unknown): number | string {
  return (error as Answered).code ?? '';
}

/** The item isn't there. With a second status it is the container that isn't, or nobody knows. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 404 && !((error as Answered).substatus ?? 0);
}

/** Its condition doesn't hold. 449: somebody else changes it at this very moment. */
export function isRefused(error: unknown): boolean {
  return isMissing(error) || [409, 412, 449].includes(Number(codeOf(error)));
}
