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
