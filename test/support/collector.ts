import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { waitUntil } from './wait-until.js';

/** Whether there is one here. `COLLECTOR_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasCollector =
  process.env['COLLECTOR_TEST'] === 'required' || (executablePaths().collector ?? null) !== null;

/** A real OpenTelemetry collector on this machine, with the configuration of docker-compose.yml. */
export interface TestCollector {
  /** Where it takes traces. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts one that sends what it gets to a receiver, in JSON, which the receiver of the tests reads.
 * @throws Error where the set-up got none
 */
export async function startCollector(receiver: string): Promise<TestCollector> {
  const program = executablePaths().collector ?? null;
  if (program === null)
    throw new Error('There is no collector here: with COLLECTOR_TEST=required, the set-up builds it by Go');
  const [port, health] = [await freePort(), await freePort()];
  const file = join(import.meta.dirname, '../../deploy/collector/collector.yml');
  const plain = ['encoding: json', 'compression: none'].map(
    (setting) => `--config=yaml:exporters::otlphttp::${setting}`,
  );
  const child = spawn(program, [`--config=${file}`, ...plain], {
    env: { LISTEN: `127.0.0.1:${port}`, HEALTH: `127.0.0.1:${health}`, TRACES_TO: receiver },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-5_000)));
  const ended = once(child, 'exit');
  await waitUntil(async () => {
    if (child.exitCode !== null) return true;
    return (await fetch(`http://127.0.0.1:${health}`)).ok;
  });
  if (child.exitCode !== null) throw new Error(`the collector ended with ${child.exitCode}: ${said}`);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
