import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
let isMounted = false;

/** A disk of its own: only root may have one, and not everywhere. */
beforeAll(() => {
  folder = cliFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder.path], { stdio: 'ignore' });
    isMounted = true;
  } catch {
    console.warn('SKIPPED: no disk of a few MB can be made here.');
  }
});
afterAll(async () => {
  rmSync(join(folder.path, 'fill'), { force: true });
  await folder.close();
  if (isMounted) execFileSync('umount', ['-l', folder.path]);
});

/** Fills what is left. */
function fill(): void {
  for (let size = 2_000_000; size > 1_000; size >>= 1)
    try {
      appendFileSync(join(folder.path, 'fill'), Buffer.alloc(size));
    } catch {
      // What is left takes less.
    }
}

describe('a full disk', () => {
  it('is named, whatever the server makes of it, and nothing is lost', async ({ skip }) => {
    if (!isMounted) skip();
    folder.write('a.tac', 'Procedure { function() return Human.approve("Go?") end }\n');
    expect((await folder.runHere(['run', 'a.tac', '--id', 'kept'])).code).toBe(3);
    const nearly = await folder.runHere(['doctor']);
    expect(nearly.stdout).toMatch(/working folder.*is on a disk that is nearly full: \d MB left/);
    fill();
    const examined = await folder.runHere(['doctor', '--json']);
    expect(examined.code).toBe(1);
    expect(examined.json()['checks']).toContainEqual({
      name: 'working folder',
      status: 'broken',
      detail: `${folder.path} is on a full disk`,
      advice: 'make room on its disk',
    });
    const stopped = await folder.runHere(['run', 'a.tac', '--id', 'other']);
    expect(stopped.code, stopped.stderr).toBe(4);
    expect(stopped.stderr).toContain('error The disk is full: the embedded server can keep nothing more in');
    expect(stopped.stderr).not.toMatch(/goroutine|Resolution note|shard status/);
    rmSync(join(folder.path, 'fill'));
    await folder.runHere(['server', 'stop']);
    await folder.runHere(['respond', 'kept/0', 'yes']);
    expect(await folder.runHere(['resume', 'kept'])).toMatchObject({ code: 0, stdout: 'true\n' });
  });
});
