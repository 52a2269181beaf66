/** Environment variable that names the codec server, as for Temporal's own command line. */
export const codecEndpointVariable = 'TEMPORAL_CODEC_ENDPOINT';

/** Environment variable with the `Authorization` header of the codec server, as for Temporal's own command line. */
export const codecAuthVariable = 'TEMPORAL_CODEC_AUTH';

/** What encodes the payloads of runs, such as by encryption: a module, or a codec server. */
export interface CodecSettings {
  /** Path of a JavaScript or TypeScript module, from the working folder; null: there is none. */
  module: string | null;
  /** Address of a codec server; `{namespace}` stands for the namespace. null: there is none. */
  endpoint: string | null;
  /** What is sent to the codec server besides `Authorization`. */
  headers: Readonly<Record<string, string>>;
  /** Whether messages and stacks of failures are encoded too. */
  encodesFailures: boolean;
}

export const noCodec: CodecSettings = { module: null, endpoint: null, headers: {}, encodesFailures: true };
