import type { Client, ClientCapabilities, Transport } from '@modelcontextprotocol/client';

/** Calls that take long become tasks, of which the server tells how they stand. */
const extension = 'io.modelcontextprotocol/tasks';
const capabilitiesInMeta = 'io.modelcontextprotocol/clientCapabilities';
/** Where a task stands in what the client lets pass. */
const taskInMeta = 'tactus-temporal/task';

/** What this client can do without tasks: people are asked by the run, which may take weeks. */
export const capabilities: ClientCapabilities = { elicitation: { form: {} } };

/** `_meta` of a request that may be answered with a task, or is about one. */
export const withTasks = {
  [capabilitiesInMeta]: { ...capabilities, extensions: { [extension]: {} } },
};

export function hasTasks(client: Client): boolean {
  return client.getServerCapabilities()?.extensions?.[extension] !== undefined;
}

/**
 * The client refuses results of the type `task` before anybody sees them. They pass as questions that ask nothing, which
 * are checked against no schema of the tool's output.
 */
export function letTasksPass(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => onmessage?.(passing(message), extra);
}

function passing<T>(message: T): T {
  const { result } = message as { result?: { resultType?: unknown; taskId?: unknown } };
  if (result?.resultType !== 'task' || typeof result.taskId !== 'string') return message;
  const { taskId } = result;
  const question = { resultType: 'input_required', requestState: taskId, _meta: { [taskInMeta]: taskId } };
  return { ...message, result: question };
}

/** The id of the task that a call was answered with; null: it was answered otherwise. */
export function taskOf(result: { _meta?: Record<string, unknown> | undefined }): string | null {
  const task = result._meta?.[taskInMeta];
  return typeof task === 'string' ? task : null;
}
