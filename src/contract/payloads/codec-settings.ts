/** Environment variable that names the codec server, as for Temporal's own command line. */
export const codecEndpointVariable = 'TEMPORAL_CODEC_ENDPOINT';

/** Environment variable with the `Authorization` header of the codec server, as for Temporal's own command line. */
export const codecAuthVariable = 'TEMPORAL_CODEC_AUTH';

/** What encodes the payloads of runs, such as by encryption: a module, a codec server, or the encryption of this package. */
export interface CodecSettings {
  /** Path of a JavaScript or TypeScript module, from the working folder; null: there is none. */
  module: string | null;
  /** Address of a codec server; `{namespace}` stands for the namespace. null: there is none. */
  endpoint: string | null;
  /** What is sent to the codec server besides `Authorization`. */
  headers: Readonly<Record<string, string>>;
  /** The encryption of this package; null: it is not used. */
  encryption: EncryptionSettings | null;
  /** Whether messages and stacks of failures are encoded too. */
  encodesFailures: boolean;
}

/** By which keys payloads are encrypted and decrypted. */
export interface EncryptionSettings {
  /** Id of the key that encrypts. */
  key: string;
  /** Environment variables that hold the keys that decrypt, by the id of the key. */
  keys: Readonly<Record<string, string>>;
  /** Whether a payload that isn't encrypted is refused. */
  requires: boolean;
  /** Whether payloads are compressed before they are encrypted, where that makes them smaller. */
  compresses: boolean;
  /** Where the keys of subjects are kept, and which ids have one; null: no subject has a key of its own. */
  subjects: { folder: string; id: string } | null;
}

/** What the id of a key may be: it stands readable in each payload. */
export const keyIdPattern = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Encoding of payloads that the encryption of this package has made. */
export const encryptedEncoding = 'binary/tactus-encrypted';

export const noCodec: CodecSettings = {
  module: null,
  endpoint: null,
  headers: {},
  encryption: null,
  encodesFailures: true,
};
