import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const module = new URL('../../../scripts/setup/run-in-foreground.mjs', import.meta.url).href;

/** A process that runs a program of ours in its foreground, and the output of that program. */
function launch(program: string): ChildProcess {
  const launcher = `
    const { runInForeground } = await import(${JSON.stringify(module)});
    process.exitCode = await runInForeground(process.execPath, ['-e', ${JSON.stringify(program)}]);`;
  const args = ['--input-type=module', '-e', launcher];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
}

async function exitOf(launcher: ChildProcess): Promise<number | null> {
  const [code] = (await once(launcher, 'exit')) as [number | null];
  return code;
}

it('ends with the exit code of the program', async () => {
  await expect(exitOf(launch('process.exit(3)'))).resolves.toBe(3);
});

it('says by its exit code that the program was killed', async () => {
  await expect(exitOf(launch('process.kill(process.pid, "SIGKILL")'))).resolves.toBe(137);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'passes %s on and waits for the program',
  async (signal) => {
    const launcher = launch(`
    process.on('${signal}', () => setTimeout(() => process.exit(7), 50));
    setInterval(() => {}, 1000);
    console.log('ready');`);
    await once(launcher.stdout ?? launcher, 'data');
    launcher.kill(signal);
    await expect(exitOf(launcher)).resolves.toBe(7);
  },
);
