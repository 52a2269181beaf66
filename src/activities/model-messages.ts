import type { AssistantModelMessage, ModelMessage } from 'ai';
import type { Message, ToolCall } from '../contract/model-call.js';

/** The conversation as the AI SDK has it. */
export function modelMessages(messages: readonly Message[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'system':
      case 'user':
        return { role: message.role, content: message.content };
      case 'assistant':
        return { role: 'assistant', content: assistantContent(message.content, message.toolCalls ?? []) };
      case 'tool':
        return {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: message.toolCallId,
              toolName: message.name,
              output: { type: 'text', value: message.content },
            },
          ],
        };
    }
  });
}

function assistantContent(text: string, calls: readonly ToolCall[]): AssistantModelMessage['content'] {
  if (calls.length === 0) return text;
  return [
    // Providers refuse an empty piece of text.
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.name,
      // Providers take only objects here; the model is to see what it wrote.
      input: call.invalid === undefined ? (call.arguments ?? {}) : { invalid: call.invalid },
    })),
  ];
}
