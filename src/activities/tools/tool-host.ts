import type { RequestOrigin } from '../../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type {
  EffectClass,
  ListedTool,
  ToolInputs,
  ToolInvocation,
} from '../../contract/tools/outside-tool.js';
import type { ToolCallContext, Verification } from './define-tool.js';
import type { Fault } from '../retries/failures.js';

/** Who has tools: the worker itself, or a server that it reaches. */
export interface ToolHost {
  /**
   * The tools that a name stands for, `host.charge_card` or `mcp.files`; null where it has none of the name.
   * @throws ToolFailed, or what the next attempt may do better
   */
  list(source: string, signal: AbortSignal): Promise<ListedTool[] | null>;
  /** The tool that is to be called; null where it has none. */
  find(invocation: Pick<ToolInvocation, 'source' | 'effect' | 'request'>): CallableTool | null;
  /** Lets go of what is kept between calls, and isn't in use; it is there again when it is needed. */
  close(): Promise<void>;
}

/** What a tool that asks people knows besides: their answers, once they are there. */
export interface HostCallContext extends ToolCallContext {
  inputs: ToolInputs | null;
  /** What may be done again. */
  effect: EffectClass;
  /** Whether the call may become a task, which is followed then. */
  tasks: boolean;
}

/** One tool, ready to be called. */
export interface CallableTool {
  /** All names that a policy may call it by. */
  names: readonly string[];
  /** Values that must not leave the worker in a result or a failure. */
  secrets: () => readonly string[];
  needsApproval(args: JsonValue): Promise<boolean>;
  /** As it is now; left out where it can't have changed unseen. @throws ToolFailed where it is gone */
  now?(signal: AbortSignal): Promise<ListedTool>;
  /** It is an agent of another system, and its questions are those of such a one. */
  agent?: () => Pick<RequestOrigin, 'protocol' | 'address'>;
  /** Left out: its calls become none. */
  tasks?: ToolTasks;
  /** @throws ToolFailed where nothing was done, InputRequired, TaskStarted */
  call(args: JsonValue, context: HostCallContext): Promise<unknown>;
  verify(args: JsonValue, context: ToolCallContext): Promise<Verification>;
}

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

/**
 * Thrown by a tool that has done nothing, and would do nothing if it were called again in the same way: its message is for
 * the model, or whoever called. Nothing is tried again, and a `once` call is settled by it.
 */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** Thrown where a tool has taken a call, and goes on with it by itself; it is asked for the end by this id. */
export class TaskStarted extends Error {
  override readonly name = 'TaskStarted';
  constructor(readonly task: string) {
    super('the tool goes on by itself');
  }
}

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

/** Thrown where a call was refused for now, and nothing was done: it may be made again. */
export class NotDone extends Error {
  override readonly name = 'NotDone';

  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}
