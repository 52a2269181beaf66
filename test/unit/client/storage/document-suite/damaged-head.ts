import type { HeadContent } from '../../../../../src/client/storage/documents/kept-record.js';

/** The text of a small record's head, with its state or an entry of its log spoiled. */
export function damagedHead(text: string, what: 'state' | number): string {
  const content = JSON.parse(text) as HeadContent;
  if (what === 'state') content.columns['state'] = '{"id": run-1';
  const tail = content.tail.map(([position, entry]) => [position, position === what ? '{' : entry] as const);
  return JSON.stringify({ ...content, tail });
}
