import type { JsonObject } from '../contract/json.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { AgentDeclaration } from './agent-declaration.js';
import type { ContextDeclaration } from './context-declaration.js';
import { modelName } from './agent-settings.js';
import type { HttpClient } from './http-client.js';
import type { HistoryFilter } from './history-filter.js';
import type { LlmModel } from './llm-model.js';
import type { RunMeter } from './meter.js';
import type { Fields, Schema } from './schema.js';
import type { TaskDeclaration } from './task-declaration.js';
import type { ToolDeclaration } from './tool-declaration.js';
import type { ToolsetDeclaration } from './toolset-declaration.js';

const declarationBytes = 2_000;
const declarationCost = 500;

/** A procedure that a file declares. */
export interface ProcedureDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  /** Lower-case constructors follow the design document: state of its own for each call. */
  ownState: boolean;
  input: Fields;
  output: Schema | null;
  state: Fields;
  /** Registry reference of the Lua function. */
  body: number;
  description: string | null;
  version: string | null;
  author: string | null;
  tags: string[];
  stages: string[];
  /** `strict_determinism`; null where it doesn't say. */
  strict: boolean | null;
  /** Clients that it declares as its `dependencies`. */
  dependencies: HttpClient[];
  /** What holds for agents that don't say which history they are sent. */
  history: { isShared: boolean; maxTokens: number | null };
}

/** A step of Specifications that the file brings itself. */
export interface StepDeclaration {
  /** Regular expression, matched from the beginning of a step's text. */
  pattern: string;
  /** Registry reference of the Lua function. */
  body: number;
  line: number | null;
}

/** Gherkin text, or the name of a file that has it. */
export interface SpecificationDeclaration {
  text: string | null;
  from: string | null;
  /** Line of the call in the procedure's file. */
  line: number | null;
}

/** All that a file declares, at its top level or while it runs. */
export class Declarations {
  readonly procedures: ProcedureDeclaration[] = [];
  readonly agents: AgentDeclaration[] = [];
  readonly models: { name: string | null; llm: LlmModel | null }[] = [];
  readonly steps: StepDeclaration[] = [];
  readonly specifications: SpecificationDeclaration[] = [];
  readonly evaluations: JsonObject[] = [];
  /** What the file's `Mocks` say, by the name of an agent, a tool or a model. */
  readonly mocks = new Map<string, JsonObject>();
  /** The file's top level is being executed. */
  isLoading = true;
  readonly tools: ToolDeclaration[] = [];
  readonly toolsets: ToolsetDeclaration[] = [];
  readonly tasks: TaskDeclaration[] = [];
  readonly contexts: ContextDeclaration[] = [];
  /** The clients of all procedures, by name. */
  readonly dependencies = new Map<string, HttpClient>();
  /** Names of the stages that the procedure goes through, in order. */
  stages: string[] = [];
  /** What holds for agents that don't say. */
  readonly defaults: {
    provider: string | null;
    model: string | null;
    historySource: string;
    historyFilter: HistoryFilter | null;
  } = { provider: null, model: null, historySource: 'own', historyFilter: null };
  /** What holds where the file doesn't say either. */
  readonly configured: { provider: string | null; model: string | null };
  /** `strict_determinism(true)`, for files without a declared procedure. */
  strict = false;
  /** How deep procedures of the file may call each other, where it says. */
  maxDepth: number | null = null;
  /** Texts by name: `Prompt("name", "text")`. */
  readonly prompts = new Map<string, string>();
  /** Schemas of a file in script mode, declared by `input {…}` and its like. */
  readonly script: { input: Fields | null; output: Schema | null; state: Fields } = {
    input: null,
    output: null,
    state: {},
  };

  constructor(
    private readonly meter: RunMeter,
    { defaultModel, defaultProvider }: RunSettings,
  ) {
    const model = defaultModel === undefined ? null : modelName(defaultModel);
    this.configured = { provider: defaultProvider ?? null, model };
  }

  /** Adds to one of the lists. What is declared is kept until the run ends, and counts as its memory. */
  add<T>(list: T[], declared: T): void {
    this.meter.keep(declarationBytes);
    this.meter.charge(declarationCost);
    list.push(declared);
  }
}
