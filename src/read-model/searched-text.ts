/** Names, so that the text of one name is in the text of several exactly if it is among them. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => `\n${JSON.stringify(name)}\n`).join('');
}

/** A text as it is searched: databases differ in what they take for the same letter in capitals. */
export function wordsText(text: string): string {
  return text.toLowerCase();
}
