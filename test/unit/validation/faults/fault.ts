/** A faulty procedure, and all that must be said of it: `line code`. */
export interface Fault {
  name: string;
  source: string;
  expected: string[];
  /** Modules and procedures beside it. */
  files?: Record<string, string>;
  strict?: boolean;
}

/** A procedure that does this: its first line is line 2 of the file. */
export function doing(body: string): string {
  return `function main()\n${body}\nend`;
}
