import type { JsonObject } from '../contract/json.js';
import { modelOf } from './agent-settings.js';
import type { Declarations, ProcedureDeclaration, SpecificationDeclaration } from './declarations.js';
import { madeUp } from './made-up.js';
import type { Fields, FieldType } from './schema.js';

/** Types of the fields that a procedure takes, by name. */
export type DeclaredInput = Record<string, FieldType>;

export interface Description {
  /** null where nothing is declared: then anything is taken. */
  input: DeclaredInput | null;
  /** Language models that are asked, as they are named; null stands for the default. */
  models: (string | null)[];
}

/** What a file declares for its tests. */
export interface DeclaredTests {
  specifications: readonly SpecificationDeclaration[];
  /** Steps of the file's own, in the order of their index. */
  steps: { pattern: string; line: number | null }[];
  evaluations: readonly JsonObject[];
  /** As in `Description`. */
  input: DeclaredInput | null;
  /** Input that a script would run with. */
  scriptInput: JsonObject;
  /** What scenarios are given of the required input, where none of their steps says anything else. */
  standIns: JsonObject;
}

export function describeTests(declared: Declarations): DeclaredTests {
  const { specifications, steps, evaluations, script } = declared;
  return {
    specifications,
    steps: steps.map(({ pattern, line }) => ({ pattern, line })),
    evaluations,
    input: inputTypes(declared),
    scriptInput: madeUp(requiredOf(script.input ?? {}), testText),
    standIns: standInsFor(mainOf(declared)),
  };
}

/** Scenarios of the older dialect may leave out what is required: it ran them without. */
function standInsFor(main: ProcedureDeclaration | null): JsonObject {
  return madeUp(requiredOf(main?.ownState === true ? main.input : {}), testText);
}

function requiredOf(fields: Fields): Fields {
  const left = Object.entries(fields).filter(
    ([, { required, default: value }]) => required && value === undefined,
  );
  return Object.fromEntries(left);
}

function testText(name: string): string {
  return `test ${name}`;
}

/** What a file has declared so far, for those who start it. */
export function describe(declared: Declarations): Description {
  const { agents, models } = declared;
  const asked = [...agents.map(({ model }) => model), ...models.flatMap(({ llm }) => llm?.choice ?? [])];
  return {
    input: inputTypes(declared),
    models: asked.map((choice) => modelOf(choice, declared)),
  };
}

/** As it is chosen when it runs; by then global variables have given procedures their names. */
export function mainOf({ procedures, tasks }: Declarations): ProcedureDeclaration | null {
  if (procedures.length === 1 && tasks.length === 0) return procedures[0] ?? null;
  return (
    procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null) ?? null
  );
}

function inputTypes(declared: Declarations): DeclaredInput | null {
  const main = mainOf(declared);
  const fields = main === null ? declared.script.input : main.input;
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]));
}
