import type { Message, SendMessageRequest, Task } from '@a2a-js/sdk';
import type { JsonValue } from '../../../../contract/json/json.js';
import { partsOf } from './parts.js';
import { userRole } from './states.js';

export interface Said {
  text: string | null;
  data?: JsonValue | undefined;
  task?: Pick<Task, 'id' | 'contextId'>;
}

/** @param messageId the same at every attempt: an agent that keeps ids knows a message that comes twice */
export function said(messageId: string, { text, data, task }: Said): Message {
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
