/**
 * Thrown by a tool that has done nothing, and would do nothing if it were called again in the same way: its message is for
 * the model, or whoever called. Nothing is tried again, and a `once` call is settled by it.
 */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}
