import type { JsonObject } from '../contract/json.js';
import { modelOf } from './agent-settings.js';
import type { Declarations, ProcedureDeclaration, SpecificationDeclaration } from './declarations.js';
import type { Fields, FieldType } from './schema.js';

/** Types of the fields that a procedure takes, by name. */
export type DeclaredInput = Record<string, FieldType>;

export interface Description {
  /** null where nothing is declared: then anything is taken. */
  input: DeclaredInput | null;
  /** Models of the agents, as they are named; null stands for the default. */
  models: (string | null)[];
}

/** What a file declares for its tests. */
export interface DeclaredTests {
  specifications: readonly SpecificationDeclaration[];
  /** Steps of the file's own, in the order of their index. */
  steps: { pattern: string; line: number | null }[];
  evaluations: readonly JsonObject[];
}

export function describeTests({ specifications, steps, evaluations }: Declarations): DeclaredTests {
  return { specifications, steps: steps.map(({ pattern, line }) => ({ pattern, line })), evaluations };
}

/** What a file has declared so far, for those who start it. */
export function describe(declared: Declarations): Description {
  const { procedures, script, agents } = declared;
  const main = mainOf(procedures);
  const fields = main === null ? script.input : main.input;
  return {
    input: fields === null ? null : typesOf(fields),
    models: agents.map(({ model }) => modelOf(model, declared)),
  };
}

/** As it is chosen when it runs; by then global variables have given procedures their names. */
export function mainOf(procedures: readonly ProcedureDeclaration[]): ProcedureDeclaration | null {
  if (procedures.length === 1) return procedures[0] ?? null;
  return (
    procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null) ?? null
  );
}

function typesOf(fields: Fields): DeclaredInput {
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]));
}
