import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../stage.ts';
import { inTurns, type Comparison } from './compare.ts';

const runs = 500;

/** Memory of 500 suspended runs that a worker keeps, each kind in a process of its own. */
export async function measureMemory(stage: Stage): Promise<Comparison> {
  const memory = (type: string) => () => memoryOf(type, stage.env.address);
  return {
    what: `${runs} suspended runs`,
    unit: 'KB a run',
    ...(await inTurns(3, memory('tactus'), memory('nativeSuspended'))),
  };
}

/** KB of JavaScript heap a run, as the process says. */
function memoryOf(type: string, address: string): Promise<number> {
  const script = fileURLToPath(new URL('suspended-runs.ts', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', script, type, address, String(runs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      const figure = Number(/^KB a run: (.+)$/m.exec(said)?.[1]);
      if (code === 0 && Number.isFinite(figure)) resolve(figure);
      else reject(new Error(`the process for ${type} ended with ${code}: ${said}`));
    });
  });
}
