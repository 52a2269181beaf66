import type { HttpAgent } from '@ag-ui/client';
import type { Interrupt, Message, ResumeEntry } from '@ag-ui/core';
import {
  asJson,
  getOwn,
  jsonAs,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/json.js';
import type { OutsideAnswer } from '../../../contract/tools/outside-tool.js';
import { InputRequired, ToolFailed } from '../tool-host.js';
import {
  assertFew,
  messageParameters,
  readQuestion,
  saidIn,
  uuidOf,
  type AgentAdapter,
  type AgentPlace,
} from './agent-adapter.js';
import { assertInstalled } from '../../packages/installed.js';

/** What is kept of a conversation while people are asked: the protocol leaves that to whoever calls. */
interface Kept {
  messages: Message[];
  state: JsonValue;
  interrupts: Interrupt[];
  /** How often it has stopped. */
  stops: number;
}

/**
 * An agent that speaks AG-UI. It works for as long as its stream lasts; where it stops for people, it is called again on the same
 * thread with what they said.
 */
export function agUiAgent(place: AgentPlace): AgentAdapter {
  return {
    describe: () =>
      Promise.resolve({ description: `The agent ${place.name}`, parameters: messageParameters }),
    call: async (args, context) => {
      const { inputs, idempotencyKey } = context;
      const thread = uuidOf(`${place.name}/${idempotencyKey}`);
      const kept =
        inputs === null ? begun(args, uuidOf(`${thread}/0`)) : (JSON.parse(inputs.state ?? '') as Kept);
      const resume = inputs === null ? null : kept.interrupts.map((each) => answerTo(each, inputs.responses));
      const note: StreamNote = { problem: undefined };
      const agent = await agentOf(place, { thread, signal: context.signal, note }, kept);
      const asked = { runId: uuidOf(`${thread}/run/${kept.stops}`), ...(resume === null ? {} : { resume }) };
      const { outcome, result, newMessages } = await ran(agent, asked, note);
      if (outcome === 'cancelled') throw new ToolFailed('the agent was stopped by whoever runs it');
      if (outcome === 'success') return result ?? lastAssistantText(newMessages);
      const { pendingInterrupts: interrupts, messages } = agent;
      const state = agent.state as JsonValue;
      const next: Kept = { messages, state, interrupts, stops: kept.stops + 1 };
      throw new InputRequired(questionsOf(interrupts), JSON.stringify(next), agent.threadId);
    },
  };
}

function begun(args: JsonValue, id: string): Kept {
  const { message, data } = saidIn(args);
  const content = data === undefined ? message : `${message}\n\n${JSON.stringify(data)}`;
  return { messages: [{ id, role: 'user', content }], state: {}, interrupts: [], stops: 0 };
}

async function agentOf(
  { reach }: AgentPlace,
  { thread, signal, note }: { thread: string; signal: AbortSignal; note: StreamNote },
  { messages, state, interrupts }: Kept,
): Promise<HttpAgent> {
  assertInstalled('Agents that speak AG-UI need', ['@ag-ui/client']);
  const { HttpAgent } = await import('@ag-ui/client');
  const { url, fetch } = reach();
  const agent = new HttpAgent({
    url,
    threadId: thread,
    initialMessages: messages,
    initialState: state,
    // It is stopped by our signal alone.
    fetch: async (address, init) => unbroken(await fetch(address, { ...init, signal }), note),
  });
  agent.pendingInterrupts = interrupts;
  return agent;
}

/** The types of the client leave out what it looks for. */
const stopped: object = { stopPropagation: true };

interface Ran {
  outcome: 'success' | 'interrupt' | 'cancelled';
  result: JsonValue;
  newMessages: Message[];
}

/** @throws Error where the stream breaks off, says that the run failed, or is none of the protocol's */
async function ran(
  agent: HttpAgent,
  asked: { runId: string; resume?: ResumeEntry[] },
  note: StreamNote,
): Promise<Ran> {
  let outcome: Ran['outcome'] | null = null;
  const failed: Error[] = [];
  const told = await agent.runAgent(
    { ...asked, tools: [], context: [], forwardedProps: {} },
    {
      onRunFinishedEvent: (finished) => {
        outcome = finished.outcome;
      },
      onRunErrorEvent: ({ event }) => {
        failed.push(new Error(`the agent says that it failed: ${event.message}`));
      },
      // Else the client writes it to the console.
      onRunFailed: ({ error }) => {
        failed.push(error);
        return stopped;
      },
    },
  );
  if (note.problem !== undefined) throw note.problem;
  const [problem] = failed;
  if (problem !== undefined) throw problem;
  if (outcome === null) throw new Error('its stream ended before it had finished');
  const result = (told.result ?? null) as JsonValue;
  return { outcome, result, newMessages: told.newMessages };
}

/** Where it gives no result, what it said last. */
function lastAssistantText(messages: readonly Message[]): JsonValue {
  const said = messages.findLast(({ role }) => role === 'assistant')?.content;
  return typeof said === 'string' ? said : null;
}

/** @throws ToolFailed where it asks for more than a person could judge */
function questionsOf(interrupts: readonly Interrupt[]): JsonObject {
  assertFew(interrupts.length);
  const questions: JsonObject = {};
  for (const { id, reason, message, responseSchema, metadata, toolCallId, expiresAt } of interrupts) {
    const until = Date.parse(expiresAt ?? '');
    const question = readQuestion({
      text: message ?? reason,
      data: {
        reason,
        ...(toolCallId == null ? {} : { tool_call: toolCallId }),
        ...(metadata ?? {}),
      },
      schema: (responseSchema ?? null) as JsonObject | null,
      expiresAt: Number.isNaN(until) ? null : until,
    });
    setOwn(questions, id, asJson(question));
  }
  return questions;
}

function answerTo({ id }: Interrupt, responses: JsonObject): ResumeEntry {
  const response = jsonAs<OutsideAnswer | undefined>(getOwn(responses, id));
  const metadata = response?.comment === undefined ? {} : { metadata: { comment: response.comment } };
  return response?.action === 'accept'
    ? { interruptId: id, status: 'resolved', payload: response.content, ...metadata }
    : { interruptId: id, status: 'cancelled', ...metadata };
}

/** What became of a stream. */
interface StreamNote {
  /** Why it broke off; undefined: it didn't. */
  problem: Error | undefined;
}

/**
 * The same answer, whose body ends where it would break off. The client of AG-UI cancels the reader of a body that broke off, and
 * nobody hears the rejection of that, which ends the process.
 */
function unbroken(response: Response, note: StreamNote): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = (await reader.read()) as { done: boolean; value?: Uint8Array };
        if (piece.value === undefined) controller.close();
        else controller.enqueue(piece.value);
      } catch (error) {
        note.problem = error instanceof Error ? error : new Error(String(error));
        controller.close();
      }
    },
    cancel: () => reader.cancel().catch(() => undefined),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
