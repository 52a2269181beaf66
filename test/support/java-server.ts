import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JavaServer } from './executable-paths.js';

/** Starts a server out of its jars; gives what ends it. Small and soon ready, rather than fast. `heap`: what it keeps in memory, at most. */
export function startJava(
  { java, folder }: JavaServer,
  main: readonly string[],
  properties: Record<string, string> = {},
  heap = '768m',
): () => Promise<void> {
  const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  const server = spawn(
    java,
    [
      ...['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto', `-Xmx${heap}`],
      ...Object.entries({ 'java.library.path': folder, ...properties }).map(
        ([name, value]) => `-D${name}=${value}`,
      ),
      ...['-cp', jars.map((name) => join(folder, name)).join(':'), ...main],
    ],
    { stdio: 'ignore', env: {} },
  );
  const ended = once(server, 'exit');
  return async () => {
    server.kill('SIGKILL');
    await ended;
  };
}
