const redacted = '[redacted]';

/**
 * Hands text on piece by piece, without secrets, also where one is cut in two by the pieces: what may be the beginning of one is held until more has
 * come.
 */
export function secretFilter(
  secrets: readonly string[],
  hand: (text: string) => void,
): { add(text: string): void; end(): void } {
  const known = secrets.filter((secret) => secret !== '');
  let held = '';
  const give = (text: string): void => {
    if (text !== '') hand(text);
  };
  return {
    add(text) {
      const all = known.reduce((rest, secret) => rest.replaceAll(secret, redacted), held + text);
      const keep = Math.max(0, ...known.map((secret) => beginningAtEnd(all, secret)));
      held = all.slice(all.length - keep);
      give(all.slice(0, all.length - keep));
    },
    end() {
      give(held);
      held = '';
    },
  };
}

/** How many characters at the end of the text are the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
