/** A text in single quotes, in which a shell finds nothing to run or to replace. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as one word of a shell: who copies the command must not run something else. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : singleQuoted(text);
}

/** A text as the last argument of a command: one that begins with a dash is no flag. Flags can't follow it. */
export function lastArgument(text: string): string {
  return text.startsWith('-') ? `-- ${shellWord(text)}` : shellWord(text);
}

/** A text in double quotes where a shell finds nothing in it to run or to replace, else in single ones. */
export function quotedWord(text: string): string {
  return /^[^"$`\\!\p{Cc}]*$/u.test(text) ? `"${text}"` : singleQuoted(text);
}
