import { Context } from '@temporalio/activity';
import type { ModelCallInput } from '../../contract/activities.js';
import type { Message, ModelCallResult } from '../../contract/models/model-call.js';
import { streamedResultChars, type StreamEvent } from '../../contract/streams/stream-event.js';
import type { ActivityDeps } from '../activity-deps.js';

const highSurrogate = /[\uD800-\uDBFF]$/;

/** Pieces of a text whose characters are whole: half a character at the end of one waits for the next. */
interface WholeCharacters {
  add(piece: string): void;
  /** Nothing more comes: half a character that waits is told as it is. */
  end(): void;
}

export function wholeCharacters(tell: (piece: string) => void): WholeCharacters {
  let half = '';
  return {
    add: (piece) => {
      const text = half + piece;
      half = highSurrogate.exec(text)?.[0] ?? '';
      const whole = text.slice(0, text.length - half.length);
      if (whole !== '') tell(whole);
    },
    end: () => {
      if (half !== '') tell(half);
      half = '';
    },
  };
}

const redacted = '[redacted]';

/**
 * Hands text on piece by piece, without secrets, also where one is cut in two by the pieces: what may be the beginning of one is held until more has
 * come.
 */
export function secretFilter(
  secrets: readonly string[],
  hand: (text: string) => void,
): { add(text: string): void; end(): void } {
  const known = secrets.filter((secret) => secret !== '');
  let held = '';
  const give = (text: string): void => {
    if (text !== '') hand(text);
  };
  return {
    add(text) {
      const all = known.reduce((rest, secret) => rest.replaceAll(secret, redacted), held + text);
      const keep = Math.max(0, ...known.map((secret) => beginningAtEnd(all, secret)));
      held = all.slice(all.length - keep);
      give(all.slice(0, all.length - keep));
    },
    end() {
      give(held);
      held = '';
    },
  };
}

/** How many characters at the end of the text are the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

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

/**
 * Tells the worker's listener which run and position a piece of text belongs to; null where nobody listens. A listener
 * that throws is told no more: what shows an answer must not cost the answer.
 */
function textListener(
  onText: ActivityDeps['onText'],
  idempotencyKey: string,
): ((text: string) => void) | null {
  if (onText === undefined) return null;
  const { log } = Context.current();
  const place = callPlace(idempotencyKey);
  let isListening = true;
  return (text) => {
    if (!isListening) return;
    try {
      onText({ ...place, text });
    } catch (error) {
      isListening = false;
      log.warn('The listener to streamed text failed', { error });
    }
  };
}

/** Which call of which run this attempt is for. The position is the last part of the idempotency key. */
function callPlace(idempotencyKey: string): { runId: string; position: string; attempt: number } {
  const { workflowExecution, attempt } = Context.current().info;
  const position = idempotencyKey.slice(idempotencyKey.lastIndexOf('/') + 1);
  return { runId: workflowExecution?.workflowId ?? '', position, attempt };
}
