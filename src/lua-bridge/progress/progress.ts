import { getOwn, setOwn, type JsonValue } from '../../contract/json/json.js';
import type { LogLevel } from '../../contract/runs/run-view.js';
import { fieldsPart, PerRun } from '../kernel/index.js';

/** What a run has come to, beside its state and its log. */
class Progress {
  /** Turns that agents have begun. */
  turns = 0;
  turnsOfAgents: Record<string, number> = {};
  /** What `done` was first called with. */
  stop: { reason: JsonValue; success: boolean } | null = null;
  stage: string | null = null;
  /** Names of the stages that the procedure goes through, in order; empty where it doesn't say. */
  stageNames: readonly string[] = [];
  stages: { from: string | null; to: string; at: number }[] = [];

  /** Counts a turn that begins. Gives its number among those of this agent, from 1. */
  beginTurn(agent: string): number {
    const number = (getOwn(this.turnsOfAgents, agent) ?? 0) + 1;
    setOwn(this.turnsOfAgents, agent, number);
    this.turns++;
    return number;
  }
}

export const progress = new PerRun(() => new Progress(), fieldsPart('progress'));

/** The names that an author may give a level of the log. */
export const logLevels: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
};
