/** Thrown where a tool can't go on before people have answered; nothing is done yet. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  constructor(
    /** By the names that the tool gives them. */
    readonly requests: Readonly<Record<string, unknown>>,
    /** What the tool wants back with the answers. */
    readonly state: string | null,
    /** By which an agent knows what it was at. */
    readonly task: string | null = null,
  ) {
    super('the tool asks people before it goes on');
  }
}
