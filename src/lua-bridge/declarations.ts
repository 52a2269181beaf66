import type { JsonObject } from '../contract/json.js';
import type { RunMeter } from './meter.js';
import type { Fields, Schema } from './schema.js';

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
  readonly agents: { name: string | null }[] = [];
  readonly models: { name: string | null }[] = [];
  readonly tools: { name: string | null }[] = [];
  readonly steps: StepDeclaration[] = [];
  readonly specifications: SpecificationDeclaration[] = [];
  readonly evaluations: JsonObject[] = [];
  /** What the file's `Mocks` say, by the name of an agent, a tool or a model. */
  readonly mocks = new Map<string, JsonObject>();
  /** The file's top level is being executed. */
  isLoading = true;
  /** Schemas of a file in script mode, declared by `input {…}` and its like. */
  readonly script: { input: Fields | null; output: Schema | null; state: Fields } = {
    input: null,
    output: null,
    state: {},
  };

  constructor(private readonly meter: RunMeter) {}

  /** Adds to one of the lists. What is declared is kept until the run ends, and counts as its memory. */
  add<T>(list: T[], declared: T): void {
    this.meter.keep(declarationBytes);
    this.meter.charge(declarationCost);
    list.push(declared);
  }
}
