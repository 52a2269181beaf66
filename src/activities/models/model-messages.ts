import type { AssistantModelMessage, ModelMessage, ToolCallPart } from 'ai';
import type { Message, ToolCall } from '../../contract/models/model-call.js';
import { withThoughts } from './conversation/thoughts.js';

/**
 * The conversation as the AI SDK has it.
 * @param thinker whose thoughts go back with it
 */
export function modelMessages(messages: readonly Message[], thinker: string): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'system':
      case 'user':
        return { role: message.role, content: message.content };
      case 'assistant':
        return { role: 'assistant', content: assistantContent(message, thinker) };
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

function assistantContent(
  message: Extract<Message, { role: 'assistant' }>,
  thinker: string,
): AssistantModelMessage['content'] {
  const { content: text, toolCalls = [] } = message;
  const calls = toolCalls.map(callPart);
  const thought = withThoughts(message, calls, thinker);
  if (thought !== null) return thought;
  if (calls.length === 0) return text;
  // Providers refuse an empty piece of text.
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
}

function callPart(call: ToolCall): ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    // Providers take only objects here; the model is to see what it wrote.
    input: call.invalid === undefined ? (call.arguments ?? {}) : { invalid: call.invalid },
  };
}
