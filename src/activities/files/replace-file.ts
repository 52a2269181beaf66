import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { At } from './held-folder.js';

/** All or nothing: whoever reads meanwhile, or after a crash, finds the old content or the new one. */
export async function replaceFile(at: At, name: string, content: string | Uint8Array): Promise<void> {
  const temporary = at(`.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Follows no link: whatever has the name is replaced.
    await rename(temporary, at(name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
