import type { JsonValue } from '../json/json.js';

/**
 * What a run does for a scenario, in this order: run the procedure, and the file's own steps before and after it. What a
 * pattern leaves out is captured as null.
 */
export type ScenarioStep = { kind: 'run' } | { kind: 'own'; step: number; captures: (string | null)[] };

/** What a run that is tested has noticed; the rest stands in its log, state and output. */
export interface Observed {
  toolCalls: { tool: string; args: JsonValue; result: JsonValue }[];
  /** The stages that were entered, in their order. */
  stages: string[];
  /** Turns of each agent. */
  agentTurns: Record<string, number>;
  /** How the file's own steps ended, by their index in the scenario. */
  steps: Record<number, { ok: boolean; message: string }>;
}

/** Turns of all agents together. */
export function turnsOf({ agentTurns }: Observed): number {
  return Object.values(agentTurns).reduce((sum, turns) => sum + turns, 0);
}

export function nothingObserved(): Observed {
  return { toolCalls: [], stages: [], agentTurns: {}, steps: {} };
}

/** What an `Evaluation` looks at: `field.min_length{field = "greeting", value = 1}`. */
export const evaluatorTypes = [
  'agent_turns',
  'contains',
  'contains_any',
  'equals_expected',
  'exact_match',
  'is_instance',
  'json_schema',
  'llm_judge',
  'max_cost',
  'max_iterations',
  'max_length',
  'max_tokens',
  'min_length',
  'range',
  'regex',
  'state_check',
  'tool_called',
] as const;

export type EvaluatorType = (typeof evaluatorTypes)[number];

/**
 * Chance and time as they would be in another run. A run that replays a log with them shows whether its procedure goes by
 * any that is not recorded: inside of checkpoints, turns and tools both stay as they were.
 */
export interface Drift {
  /** Seed of the random numbers outside of checkpoints. */
  seed: string;
  /** How far the clock is ahead outside of checkpoints. */
  aheadMs: number;
}
