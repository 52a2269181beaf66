/** Control and direction characters that JSON itself leaves as they are, and a terminal would obey. */

const controls = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON that is safe to look at: what a terminal would obey is escaped, and means the same to whoever reads it. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
