import type { ModelCallInput } from '../../../contract/activities.js';
import type { Message, ModelCallResult } from '../../../contract/models/model-call.js';
import { streamedResultChars, type StreamEvent } from '../../../contract/streams/stream-event.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { callPlace } from '../../retries/call-place.js';
import { textListener } from '../text-listener.js';
import { wholeCharacters } from '../whole-characters.js';
import { secretFilter } from './secret-filter.js';

/** Time that an answer waits for a broker before it is handed to the run all the same, in ms. */
const patienceMs = 5_000;

/** What those who look on are told of one call of a model. */
export interface CallStream {
  /** Takes text as it comes; null where nobody wants it. */
  onText: ((text: string) => void) | null;
  /** The answer is there: its calls of tools, and its end. Resolves when they are told, or nobody takes them. */
  answered(result: ModelCallResult): Promise<void>;
  /** The call was given up by its run: what was told of it has no end. */
  interrupted(): Promise<void>;
}

type Told<T = StreamEvent> = T extends StreamEvent
  ? Omit<T, 'run_id' | 'position' | 'agent' | 'attempt' | 'at'>
  : never;

/** @param secrets none of which may be in what is told */
export function callStream(
  { onText, streams }: ActivityDeps,
  { call, idempotencyKey }: ModelCallInput,
  secrets: readonly string[],
): CallStream {
  const heard = textListener(onText, idempotencyKey);
  const nobody = (): Promise<void> => Promise.resolve();
  const listened = heard === null ? null : wholeCharacters(heard);
  const ended = (): Promise<void> => {
    listened?.end();
    return nobody();
  };
  if (streams === undefined)
    return { onText: listened && ((text) => listened.add(text)), answered: ended, interrupted: ended };
  const { runId, position, attempt } = callPlace(idempotencyKey);
  const tell = (told: Told, id?: string): void => {
    const by = { run_id: runId, position, agent: call.agent, attempt, at: new Date().toISOString() };
    streams.publish({ ...by, ...told }, id);
  };
  for (const { toolCallId, name, content } of resultsIn(call.messages)) {
    const cut = content.slice(0, streamedResultChars);
    tell(
      { type: 'tool_result', call_id: toolCallId, tool: name, content: cut },
      `${position}/result/${toolCallId}`,
    );
  }
  if (attempt > 1) tell({ type: 'restart' });
  const told = wholeCharacters((text) => tell({ type: 'text', text }));
  const filter = secretFilter(secrets, (text) => told.add(text));
  const end = (): void => {
    listened?.end();
    filter.end();
    told.end();
  };
  return {
    onText: (text) => {
      listened?.add(text);
      filter.add(text);
    },
    answered: async ({ toolCalls, model, finishReason, usage }) => {
      end();
      for (const { id, name, arguments: given } of toolCalls)
        tell({ type: 'tool_call', call_id: id, tool: name, arguments: given });
      tell({ type: 'answer', model, finish_reason: finishReason, usage });
      await streams.flushed(patienceMs);
    },
    interrupted: async () => {
      end();
      tell({ type: 'interrupted' }, `${position}/interrupted`);
      await streams.flushed(patienceMs);
    },
  };
}

/** What tools gave that the model asked for last. */
function resultsIn(messages: readonly Message[]): Extract<Message, { role: 'tool' }>[] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1).filter((message) => message.role === 'tool');
}
