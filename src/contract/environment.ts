/** Environment variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Address of the broker that carries streams between processes: `nats://host:port`. */
export const streamsVariable = 'TACTUS_TEMPORAL_STREAMS';

/** Where runs are mirrored for the Tactus API: `file:FOLDER`, `sqlite:FILE`, `postgres://…` or `redis://…`. */
export const storageVariable = 'TACTUS_TEMPORAL_STORAGE';

/** Where lists of runs and of what they ask are kept: `postgres://…`, or the path of a file. */
export const indexVariable = 'TACTUS_TEMPORAL_INDEX';

/** How a service writes its log: `text` or `json`. */
export const logFormatVariable = 'TACTUS_TEMPORAL_LOG_FORMAT';

/** The least important lines of its log: `debug`, `info`, `warn` or `error`. */
export const logLevelVariable = 'TACTUS_TEMPORAL_LOG_LEVEL';

/** Where a worker answers probes of its health: a port, or an address and a port. */
export const healthVariable = 'TACTUS_TEMPORAL_HEALTH';

/** Where a worker serves metrics for Prometheus. */
export const metricsVariable = 'TACTUS_TEMPORAL_METRICS';

/** The newest engine that runs begin on. */
export const engineVariable = 'TACTUS_TEMPORAL_ENGINE';

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** From the one that says most to the one that says least. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Formats of the reference's, which are texts for people. */
const textFormats: readonly string[] = ['text', 'rich', 'terminal', 'raw'];

/** null where there is no such format. */
export function readLogFormat(text: string): LogFormat | null {
  const name = text.toLowerCase();
  if (name === 'json') return name;
  return textFormats.includes(name) ? 'text' : null;
}

/** null where there is no such level. */
export function readLogLevel(text: string): LogLevel | null {
  const name = text.toLowerCase();
  return logLevels.find((level) => level === name || (level === 'warn' && name === 'warning')) ?? null;
}
