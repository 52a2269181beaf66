/** Control characters but tab and line feed; a terminal would obey them. */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of a procedure, a model, a person or a server, so that a terminal only shows it. What a command says passes it
 * in `Screen`; prompts, which move the cursor, get their texts through it one by one.
 */
export function plainText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(controls, '\ufffd');
}
