import type { JsonObject, JsonValue } from '../json/json.js';

/** What a run answers itself instead of asking the outside: for tests, and for `run --mock`. */
export interface MockPlan {
  /** The file's `Mocks` count, and what has none gets an answer that says so: no model is asked. */
  all: boolean;
  /** Turns of agents, by the agent's name. They come before those of the file. */
  agents: Record<string, MockTurn[]>;
  /** What tools and prediction models give, by name. They come before those of the file. */
  results: Record<string, JsonValue>;
  /** The same for each call by itself, in their order; after the last one, the last counts again. They come before `results`. */
  calls?: Record<string, MockCall[]>;
  /** Answers to human requests, the first that fits; people are not asked, whatever fits. null: they are. */
  people: MockPerson[] | null;
  /** Events that reach the run by themselves; left out: none. */
  events?: MockEvent[];
}

/** What one call of a tool or a model comes to. */
export type MockCall = { value: JsonValue } | { error: string };

/** One turn of an agent. The tools that it calls are recorded; their functions don't run. */
export interface MockTurn {
  message?: string;
  tool_calls?: { tool: string; args: JsonValue }[];
  /** The output, where the agent declares a schema. */
  data?: JsonObject;
  usage?: JsonObject;
  /** The turn for this message; others are taken in their order. */
  when_message?: string;
}

/** An answer of somebody who isn't asked. */
export interface MockPerson {
  /** Part of the request's message; left out: any. */
  message?: string;
  /** Position of the request; left out: any. */
  position?: string;
  /** Left out: nobody answers, and the request waits for its timeout. */
  value?: JsonValue;
}

/** An event that nobody sends. */
export interface MockEvent {
  name: string;
  value: JsonValue;
  /** So long after the start of the run. */
  afterMs: number;
}
