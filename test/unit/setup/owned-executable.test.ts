import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isAlive } from '../../support/is-alive.js';
import { ownedExecutable } from '../../support/owned-executable.js';
import { waitUntil } from '../../support/wait-until.js';

it('ends with the process that started it, also where that is killed', async () => {
  const script = ownedExecutable('/bin/sleep');
  const start = `
    const child = require('node:child_process').spawn(${JSON.stringify(script)}, ['600'], { stdio: 'ignore' });
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(owner.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  expect(isAlive(pid)).toBe(true);
  owner.kill('SIGKILL');
  await waitUntil(() => Promise.resolve(!isAlive(pid)));
});
