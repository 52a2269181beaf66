import { utf8Length } from '../json/json.js';

/** Cuts a message that the server would refuse, between two characters. */
export function cutMessage(message: string, maxBytes: number): string {
  if (utf8Length(message) <= maxBytes) return message;
  let end = Math.min(message.length, maxBytes);
  while (utf8Length(message.slice(0, end)) > maxBytes) end -= 16;
  return `${message.slice(0, end).replace(/[\ud800-\udbff]$/, '')}… (cut)`;
}
