import type { Message, Part, Role, SendMessageRequest, Task, TaskState } from '@a2a-js/sdk';
import type { JsonValue } from '../../../contract/json/json.js';

export interface MessageContent {
  text: string | null;
  data?: JsonValue | undefined;
  task?: Pick<Task, 'id' | 'contextId'>;
}

/** @param messageId the same at every attempt: an agent that keeps ids knows a message that comes twice */
export function newMessage(messageId: string, { text, data, task }: MessageContent): Message {
  return {
    messageId,
    contextId: task?.contextId ?? '',
    taskId: task?.id ?? '',
    role: userRole,
    parts: partsOf(text, data),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export function request(message: Message): SendMessageRequest {
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: true,
  };
  return { tenant: '', message, configuration, metadata: undefined };
}

/** The texts of a message or a result, and its data: one alone as it is, several as a list, null where there is none. */
interface PartsRead {
  text: string | null;
  data: JsonValue;
}

export function readParts(parts: readonly Part[]): PartsRead {
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  const data = parts.flatMap((part) => (part.content?.$case === 'text' ? [] : [valueOf(part)]));
  return {
    text: texts.length === 0 ? null : texts.join('\n'),
    data: data.length === 0 ? null : data.length === 1 ? (data[0] ?? null) : data,
  };
}

/** What an agent gave: its data where that is all, its text where that is all, else a list of its parts. */
export function valueOfParts(parts: readonly Part[]): JsonValue {
  const { text, data } = readParts(parts);
  if (data === null) return text;
  return text === null
    ? data
    : parts.map((part) => ({ type: part.content?.$case ?? 'unknown', value: valueOf(part) }));
}

/** Files are told without their bytes, which no history has room for. */
function valueOf({ content, filename, mediaType }: Part): JsonValue {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return (content.value ?? null) as JsonValue;
    case 'url':
      return { url: content.value, name: filename, mime_type: mediaType };
    case 'raw':
      return { bytes: content.value.length, name: filename, mime_type: mediaType };
    case undefined:
      return null;
  }
}

/** What is said to an agent: text, and data beside it. */
function partsOf(text: string | null, data: JsonValue | undefined): Part[] {
  const whole = { metadata: undefined, filename: '' };
  return [
    ...(text === null
      ? []
      : [{ ...whole, content: { $case: 'text' as const, value: text }, mediaType: 'text/plain' }]),
    ...(data === undefined
      ? []
      : [{ ...whole, content: { $case: 'data' as const, value: data }, mediaType: 'application/json' }]),
  ];
}

/** What the library's enums stand for: it is loaded only where an agent is called. */
const userRole = 1 as Role.ROLE_USER;

const names = [
  'unspecified',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input_required',
  'rejected',
  'auth_required',
] as const;

type StateName = (typeof names)[number];

export function stateName(state: TaskState | undefined): StateName {
  return names.at(state ?? 0) ?? 'unspecified';
}

/** Codes of JSON-RPC by which an agent says that it has done nothing: all but a fault of its own. */
const internalError = -32603;

/** Why an agent has taken nothing of a request; null where that isn't certain. */
export function refusalText(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { envelopeCode, statusCode } = error as { envelopeCode?: unknown; statusCode?: unknown };
  const isRefused =
    typeof envelopeCode === 'number'
      ? envelopeCode !== internalError && envelopeCode < -32000
      : typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isRefused ? error.message : null;
}

/** The agent knows the task no more. */
export function isUnknownTask(error: unknown): boolean {
  return (error as { reason?: unknown } | null)?.reason === 'TASK_NOT_FOUND';
}
