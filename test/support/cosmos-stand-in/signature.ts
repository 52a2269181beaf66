import { createHmac } from 'node:crypto';

const kinds = ['dbs', 'colls', 'docs', 'pkranges'];

/** What whoever has an account's key signs: what is done, to what, and when. */
export function signature(key: string, method: string, path: string, date: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const kind = parts.filter((_, i) => i % 2 === 0).at(-1) ?? '';
  const link = (parts.length % 2 === 0 ? parts : parts.slice(0, -1)).map(decodeURIComponent).join('/');
  const text = `${method.toLowerCase()}\n${kinds.includes(kind) ? kind : ''}\n${link}\n${date.toLowerCase()}\n\n`;
  const signed = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  return encodeURIComponent(`type=master&ver=1.0&sig=${signed}`);
}
