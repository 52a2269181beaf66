import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** One list for the process, as its SDK has one logger. */
export const logged: string[] = [];
let collects = false;

/** Keeps what the SDK warns of, instead of printing it. Must come before anything of the SDK starts. */
export function collectLogs(): void {
  if (collects) return;
  collects = true;
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    logged.push(`${level} ${message} ${JSON.stringify(meta, withoutBigInts)}`);
  });
  const filter = makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' });
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter } } });
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
