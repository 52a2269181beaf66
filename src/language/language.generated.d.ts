/** What the declarations in `types/` say. Types are texts, as the Lua language server writes them. */
export interface Parameter {
  /** `...` of the last one: any number of values. */
  name: string;
  type: string;
  isOptional: boolean;
  doc: string;
}

export interface FunctionDefinition {
  /** With its library: `Human.approve`. */
  name: string;
  parameters: Parameter[];
  returns: string[];
  generics: string[];
  /** Other ways of calling it, as types: `fun(name: string): tactus.Tool`. */
  overloads: string[];
  /** What a call asks for, or the record that it leaves: see surface.ts; null: neither. */
  effect: string | null;
  /** Arguments that don't fit are taken, and without effect. */
  isLenient: boolean;
  /** A call is an error: it is there to say what to write instead. */
  isDeprecated: boolean;
  doc: string;
  example: string | null;
  /** File below `types/`, and line. */
  place: { file: string; line: number };
}

export interface ValueDefinition {
  name: string;
  type: string;
  /** Of a call, where it can be called. */
  effect: string | null;
  doc: string;
  example: string | null;
  place: { file: string; line: number };
}

export interface ClassDefinition {
  name: string;
  parents: string[];
  fields: Parameter[];
  /** It may have fields of other names. */
  isOpen: boolean;
  /** Values that don't fit are taken, and without effect. */
  isLenient: boolean;
  overloads: string[];
  /** Of each group, one field must be there. */
  needs: string[][];
  doc: string;
  place: { file: string; line: number };
}

export declare const language: {
  functions: Readonly<Record<string, FunctionDefinition>>;
  values: Readonly<Record<string, ValueDefinition>>;
  classes: Readonly<Record<string, ClassDefinition>>;
  aliases: Readonly<Record<string, string>>;
};
