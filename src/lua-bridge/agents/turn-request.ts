import type { Budget } from '../../contract/budgets/budget.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import type { NamedTool } from '../tools/toolset-declaration.js';
import type { HistoryMode } from './history-mode.js';
import type { AgentDeclaration } from './agent-declaration.js';

/** What an agent is asked for in one turn. */
export interface TurnRequest {
  agent: AgentDeclaration;
  name: string;
  message: string | null;
  /** Extra arguments of the call, for templates. */
  params: JsonObject;
  /** In the order in which they are asked; null: the worker's default. */
  models: readonly (string | null)[];
  settings: ModelCall['settings'];
  system: string | null;
  systemSuffix: string;
  tools: NamedTool[];
  /** What the call or the agent says of its history; null: neither does. */
  mode: HistoryMode | null;
  /** What this turn may use; null: what is left to it. */
  budget: Budget | null;
  /** An answer that doesn't have the form which the agent declares is given as text, and is no error. */
  isLenient: boolean;
}
