import type { JsonValue } from '../../contract/json/json.js';
import type { LogLevel } from '../../contract/runs/run-view.js';
import { PerRun } from '../kernel/index.js';

/** What a run has come to, beside its state and its log. */
class Progress {
  /** Turns that agents have begun. */
  turns = 0;
  private readonly turnsOfAgents = new Map<string, number>();
  /** What `done` was first called with. */
  stop: { reason: JsonValue; success: boolean } | null = null;
  stage: string | null = null;
  /** Names of the stages that the procedure goes through, in order; empty where it doesn't say. */
  stageNames: readonly string[] = [];
  readonly stages: { from: string | null; to: string; at: number }[] = [];

  /** Counts a turn that begins. Gives its number among those of this agent, from 1. */
  beginTurn(agent: string): number {
    const number = (this.turnsOfAgents.get(agent) ?? 0) + 1;
    this.turnsOfAgents.set(agent, number);
    this.turns++;
    return number;
  }
}

export const progress = new PerRun(() => new Progress());

/** The names that an author may give a level of the log. */
export const logLevels: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
};
