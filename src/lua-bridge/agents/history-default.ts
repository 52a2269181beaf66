import { PerRun } from '../kernel/per-run.js';
import type { HistoryFilter } from './history-filter.js';

/** Which history is sent for agents that don't say. */
export interface HistoryDefault {
  source: string;
  filter: HistoryFilter | null;
}

export const historyDefault = new PerRun((): HistoryDefault => ({ source: 'own', filter: null }));
