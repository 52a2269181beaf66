/** Thrown where a tool has taken a call, and goes on with it by itself; it is asked for the end by this id. */
export class TaskBegun extends Error {
  override readonly name = 'TaskBegun';
  constructor(readonly task: string) {
    super('the tool goes on by itself');
  }
}
