/** An answer was begun and didn't come to its end in time. */
export class SilentAnswer extends Error {
  override readonly name = 'SilentAnswer';

  /** @param idleMs how long nothing came; null: pieces came, too slowly */
  constructor(idleMs: number | null) {
    super(
      idleMs === null
        ? 'began an answer that has no end: its bytes come too slowly'
        : `began an answer, and then sent nothing for ${idleMs / 1_000} s`,
    );
  }
}
