import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { exactLines } from '../../../src/cli/mcp/mcp-command.js';

it('keeps integers past 2^53 of messages that arrive in pieces', async () => {
  const lines =
    '{"id": 1, "params": {"é": 9007199254740993}}\r\nno json 9007199254740993\n{"id": 2}\n\n[9007199254740993]';
  const bytes = Buffer.from(lines);
  for (const size of [1, 7, 1_000]) {
    const parts: Buffer[] = [];
    for (let i = 0; i < bytes.length; i += size) parts.push(bytes.subarray(i, i + size));
    expect(await text(Readable.from(parts).pipe(exactLines()))).toBe(
      '{"id":1,"params":{"é":"9007199254740993"}}\nno json 9007199254740993\n{"id": 2}\n\n["9007199254740993"]',
    );
  }
});
