/**
 * What a run brings with it was written by a newer version than this one: a deploy was rolled back. No TactusError, as it
 * must not end the run: the workflow task fails until a worker takes it that knows the version.
 */
export class NewerVersionError extends Error {
  override readonly name = 'NewerVersionError';

  /** `what`: as the beginning of a sentence, such as `The carried log`. */
  constructor(what: string, found: number, known: number) {
    super(
      `${what} has version ${found}, and this worker knows none after ${known}: a newer version of tactus-temporal wrote it. ` +
        'A worker of that version, or a later one, goes on with the run',
    );
  }
}
