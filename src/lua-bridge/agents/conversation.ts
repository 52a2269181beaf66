import type { Message } from '../../contract/model-call.js';
import { PerRun } from '../kernel/per-run.js';

/** One message of the run's conversation. */
export interface Entry {
  id: number;
  /** When it was added, in ms since 1970. */
  at: number;
  message: Message;
  /** The agent in whose turn it came up; null: the procedure added it, for all agents. */
  agent: object | null;
  /** Agents that were told to forget it. */
  forgottenBy: Set<object>;
}

/**
 * All that was said in a run, in order. An agent's own history is what came up in its turns and what the procedure
 * added; `MessageHistory` sees and changes the whole.
 */
export class Conversation {
  entries: readonly Entry[] = [];
  /** Ids of messages by the name that `MessageHistory.checkpoint` gave them. */
  readonly marks = new Map<string, number>();
  private lastId = 0;

  add(message: Message, agent: object | null, at: number): Entry {
    const entry = { id: ++this.lastId, at, message, agent, forgottenBy: new Set<object>() };
    (this.entries as Entry[]).push(entry);
    return entry;
  }

  /** What is left of the conversation: some of the entries, and new messages, which belong to all agents. */
  replace(kept: readonly (Entry | Message)[], at: number): void {
    this.entries = [];
    for (const each of kept) {
      if ('message' in each) (this.entries as Entry[]).push(each);
      else this.add(each, null, at);
    }
  }

  of(agent: object): Entry[] {
    return this.entries.filter(
      (entry) => (entry.agent === null || entry.agent === agent) && !entry.forgottenBy.has(agent),
    );
  }

  hasSpoken(agent: object): boolean {
    return this.entries.some((entry) => entry.agent === agent);
  }

  /** Takes an agent's own messages out, and hides from it those that are for all. */
  forget(agent: object): void {
    for (const entry of this.entries) if (entry.agent === null) entry.forgottenBy.add(agent);
    this.entries = this.entries.filter((entry) => entry.agent !== agent);
  }
}

export const conversation = new PerRun(() => new Conversation());

/**
 * The messages without halves of tool calls: a filter, or a shortened history, can part a call from its result, and
 * providers refuse both halves.
 */
export function withoutTornCalls(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i] as Message;
    if (message.role === 'tool') continue;
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const results = messages.slice(i + 1, i + 1 + calls.length);
    const complete = calls.every(({ id }, n) => {
      const result = results[n];
      return result?.role === 'tool' && result.toolCallId === id;
    });
    if (complete) whole.push(message, ...results);
    else if (message.content !== '') whole.push({ role: 'assistant', content: message.content });
  }
  return whole;
}
