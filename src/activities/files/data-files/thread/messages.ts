import type { DataFileAction } from '../../../../contract/files/data-file.js';
import type { ErrorCode } from '../../../../contract/errors.js';
import type { JsonValue } from '../../../../contract/json/json.js';

/** What the thread is asked. */
export interface ThreadRequest extends DataFileAction {
  /** As the procedure names it. */
  path: string;
  /** The file as it is; null where it is to be made. */
  bytes: Uint8Array | null;
}

/** What was read, or the file as it is to be. */
export interface Done {
  value?: JsonValue;
  bytes?: Uint8Array;
}

export type ThreadAnswer = ({ ok: true } & Done) | { ok: false; code: ErrorCode; message: string };
