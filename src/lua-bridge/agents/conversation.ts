import type { Message } from '../../contract/models/model-call.js';
import { asJson, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { PerBranch, PerRun, type Branching } from '../kernel/index.js';
import type { TurnCost } from './turn-progress.js';

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

/** What an agent's turn gave. */
export interface TurnGiven {
  output: JsonValue;
  usage: JsonObject;
  /** null where it isn't known. */
  cost: TurnCost | null;
}

/** What stands in place of the older part of a conversation, for one agent. */
export interface Compacted {
  summary: string;
  /** Id of the last message that it stands for. */
  upTo: number;
}

/** A conversation in a snapshot; agents by their keys. */
interface Taken {
  entries: (Pick<Entry, 'id' | 'at' | 'message'> & { agent: string | null; forgottenBy: string[] })[];
  lastId: number;
  marks: [string, number][];
  lastTurns: [string, TurnGiven][];
  summaries: [string, Compacted][];
}

/**
 * All that was said in a run, in order. An agent's own history is what came up in its turns and what the procedure
 * added; `MessageHistory` sees and changes the whole. A branch of `Parallel` has one of its own: see
 * docs/decisions/014.
 *
 * Owns: the messages since this branch began, their names, and each agent's summary and last turn.
 * Asks: the conversation that it is a branch of, for names of older messages.
 * Invariants:
 *  1. Ids of messages ascend within a branch.
 *  2. A branch sees what was said before it began, and nothing that its caller or other branches say later.
 *  3. A branch changes nothing of its caller's, except what the last turn of an agent gave.
 */
export class Conversation implements Branching {
  /** Since this branch began; those of conversations that it is a branch of come before. */
  private own: Entry[] = [];
  private readonly ownMarks = new Map<string, number>();
  private readonly lastTurns = new Map<object, TurnGiven>();
  private readonly summaries = new Map<object, Compacted>();
  private lastId = 0;
  /** How often it has changed. */
  changes = 0;

  /** @param before lists as they were when this branch began: they may grow, so how much of them counts is kept */
  private constructor(
    private readonly outer: Conversation | null,
    private before: readonly { entries: readonly Entry[]; count: number }[],
  ) {}

  static empty(): Conversation {
    return new Conversation(null, []);
  }

  branch(): this {
    const branch = new Conversation(this, [...this.before, { entries: this.own, count: this.own.length }]);
    branch.lastId = this.lastId;
    for (const [agent, given] of this.lastTurns) branch.lastTurns.set(agent, given);
    for (const [agent, compacted] of this.summaries) branch.summaries.set(agent, compacted);
    return branch as this;
  }

  get entries(): readonly Entry[] {
    if (this.before.length === 0) return this.own;
    return [...this.before.flatMap(({ entries, count }) => entries.slice(0, count)), ...this.own];
  }

  add(message: Message, agent: object | null, at: number): Entry {
    this.changes++;
    const entry = { id: ++this.lastId, at, message, agent, forgottenBy: new Set<object>() };
    this.own.push(entry);
    return entry;
  }

  /** Gives the last message a name, and gives its id; null where there is none. */
  mark(name: string | null): number | null {
    this.changes++;
    const filled = this.before.findLast(({ count }) => count > 0);
    const last = this.own.at(-1) ?? filled?.entries[filled.count - 1];
    if (last === undefined) return null;
    if (name !== null) this.ownMarks.set(name, last.id);
    return last.id;
  }

  /** Id of the message that has this name. */
  marked(name: string): number | null {
    return this.ownMarks.get(name) ?? this.outer?.marked(name) ?? null;
  }

  /** What is left of the conversation: some of the entries, and new messages, which belong to all agents. */
  replace(kept: readonly (Entry | Message)[], at: number): void {
    this.changes++;
    this.summaries.clear();
    this.before = [];
    this.own = [];
    for (const each of kept) {
      if ('message' in each) this.own.push(each);
      else this.add(each, null, at);
    }
  }

  of(agent: object): Entry[] {
    return this.entries.filter(
      (entry) => (entry.agent === null || entry.agent === agent) && !entry.forgottenBy.has(agent),
    );
  }

  /** From now on an agent is told a summary in place of all messages up to one. */
  sumUp(agent: object, compacted: Compacted): void {
    this.changes++;
    this.summaries.set(agent, compacted);
  }

  /** What an agent is told in place of the older part of what was said. */
  summaryFor(agent: object): Compacted | null {
    return this.summaries.get(agent) ?? null;
  }

  hasSpoken(agent: object): boolean {
    return this.entries.some((entry) => entry.agent === agent);
  }

  /** Takes an agent's own messages out, and hides from it those that are for all. */
  forget(agent: object): void {
    this.changes++;
    this.summaries.delete(agent);
    this.own = this.entries
      .filter((entry) => entry.agent !== agent)
      .map((entry) =>
        entry.agent === null ? { ...entry, forgottenBy: new Set([...entry.forgottenBy, agent]) } : entry,
      );
    this.before = [];
  }

  /** A turn has ended, which is the agent's last one here and in all branches that this one is in. */
  endTurn(agent: object, given: TurnGiven): void {
    this.changes++;
    this.lastTurns.set(agent, given);
    this.outer?.endTurn(agent, given);
  }

  /** For a snapshot. @param keys of the agents in it */
  handOver(keys: ReadonlyMap<object, string>): JsonValue {
    const keyOf = (agent: object): string => keys.get(agent) ?? '';
    const { lastId, ownMarks, lastTurns, summaries } = this;
    return asJson<Taken>({
      entries: this.entries.map(({ agent, forgottenBy, ...entry }) => ({
        ...entry,
        agent: agent === null ? null : keyOf(agent),
        forgottenBy: [...forgottenBy].map(keyOf),
      })),
      lastId,
      marks: [...ownMarks],
      lastTurns: [...lastTurns].map(([agent, given]) => [keyOf(agent), given]),
      summaries: [...summaries].map(([agent, compacted]) => [keyOf(agent), compacted]),
    });
  }

  goOnWith(taken: JsonValue, keys: ReadonlyMap<object, string>): void {
    this.changes++;
    const { entries, lastId, marks, lastTurns, summaries } = jsonAs<Taken>(taken);
    const agents = new Map([...keys].map(([agent, key]) => [key, agent]));
    // One that the file has no more, after an edit, is nobody.
    const agentOf = (key: string): object => agents.get(key) ?? {};
    this.before = [];
    this.own = entries.map(({ agent, forgottenBy, ...entry }) => ({
      ...entry,
      agent: agent === null ? null : agentOf(agent),
      forgottenBy: new Set(forgottenBy.map(agentOf)),
    }));
    this.lastId = lastId;
    for (const [name, id] of marks) this.ownMarks.set(name, id);
    for (const [agent, given] of lastTurns) this.lastTurns.set(agentOf(agent), given);
    this.summaries.clear();
    for (const [agent, compacted] of summaries) this.summaries.set(agentOf(agent), compacted);
  }

  /** What the agent's last turn gave: here, or else before this branch. */
  lastTurn(agent: object): TurnGiven | null {
    return this.lastTurns.get(agent) ?? null;
  }
}

/** An agent that can speak, and what it is called by the file: null where it has no name. */
interface Speaker {
  agent: object;
  nameOf: () => string | null;
}

/** All of them, in the order in which they were declared. */
export const speakers = new PerRun((): Speaker[] => [], 'declared');

/**
 * The agents of a file as a snapshot has them: by name, so that the file can be edited; by number where several have the same
 * name, or one has none.
 */
function keysOf(all: readonly Speaker[]): Map<object, string> {
  const names = all.map(({ nameOf }) => nameOf());
  return new Map(
    all.map(({ agent }, i) => {
      const name = names[i] ?? null;
      const isAlone = name !== null && names.indexOf(name) === names.lastIndexOf(name);
      return [agent, isAlone ? name : `#${i}`];
    }),
  );
}

export const conversation = new PerBranch(() => Conversation.empty(), {
  name: 'conversation',
  take: (said, bridge) => said.handOver(keysOf(speakers.of(bridge))),
  put: (said, taken, bridge) => said.goOnWith(taken, keysOf(speakers.of(bridge))),
  stamp: ({ changes }) => changes,
});

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
