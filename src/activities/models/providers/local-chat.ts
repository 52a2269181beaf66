import type { JsonValue } from '../../../contract/json/json.js';
import type { ChatFunctionCall, ChatItem } from './llama-api.js';
import type { CallOptions } from './provider-model.js';

type Message = CallOptions['prompt'][number];

/** The conversation as the local model's library has it: results stand in the calls, and the last item is the model's. */
export function localChat(prompt: CallOptions['prompt']): ChatItem[] {
  const history: ChatItem[] = [];
  const calls = new Map<string, ChatFunctionCall>();
  for (const message of prompt) addMessage(history, calls, message);
  if (history.at(-1)?.type !== 'model') history.push({ type: 'model', response: [] });
  return history;
}

function addMessage(history: ChatItem[], calls: Map<string, ChatFunctionCall>, message: Message): void {
  switch (message.role) {
    case 'system':
      history.push({ type: 'system', text: message.content });
      return;
    case 'user':
      history.push({
        type: 'user',
        text: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      });
      return;
    case 'assistant':
      modelItem(history).response.push(...message.content.flatMap((part) => responsePart(calls, part)));
      return;
    case 'tool':
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue;
        const call = calls.get(part.toolCallId);
        if (call !== undefined && 'value' in part.output) call.result = part.output.value as JsonValue;
      }
  }
}

/** What the model said goes on in one item until someone else speaks. */
function modelItem(history: ChatItem[]): Extract<ChatItem, { type: 'model' }> {
  const last = history.at(-1);
  if (last?.type === 'model') return last;
  const item: ChatItem = { type: 'model', response: [] };
  history.push(item);
  return item;
}

type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];

function responsePart(
  calls: Map<string, ChatFunctionCall>,
  part: AssistantPart,
): (string | ChatFunctionCall)[] {
  if (part.type === 'text') return [part.text];
  if (part.type !== 'tool-call') return [];
  const call: ChatFunctionCall = {
    type: 'functionCall',
    name: part.toolName,
    params: part.input as JsonValue,
    result: null,
  };
  calls.set(part.toolCallId, call);
  return [call];
}
