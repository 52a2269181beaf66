import type { JsonObject } from '../../contract/json/json.js';

/** How a task stands. */
export type TaskLook =
  /** `pollMs`: when whoever has it wants to be asked again; null: it doesn't say. */
  | { status: 'working'; pollMs: number | null }
  /** It waits for people; `requests` are their questions by name, those that have their answer perhaps among them. */
  | { status: 'input_required'; pollMs: number | null; requests: JsonObject }
  | { status: 'completed'; value: unknown }
  /** It ended without a result, and says why. */
  | { status: 'failed'; message: string }
  /** Nobody will hear how it ended. */
  | { status: 'lost'; message: string };

/** What can be asked of whoever has a tool about its tasks. */
export interface ToolTasks {
  look(task: string, signal: AbortSignal): Promise<TaskLook>;
  /** Gives it what people have said, by the names of the questions. */
  answer(task: string, responses: JsonObject, signal: AbortSignal): Promise<void>;
  /** Nobody wants it any more; what becomes of it then is its own matter. */
  cancel(task: string, signal: AbortSignal): Promise<void>;
}
