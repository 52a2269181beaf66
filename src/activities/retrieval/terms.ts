/** How often each word of Latin letters and digits stands in a text, in lower case. */
export function termsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [term] of text.toLowerCase().matchAll(/[a-z0-9]+/g))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
