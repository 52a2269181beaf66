/** How far a run had come when it told or was asked: what it says later has a higher one, in whatever worker. */
export interface RunVersion {
  /** The Temporal execution, as the server names it. */
  execution: string;
  /** When that execution began, in ms since 1970. */
  began: number;
  /** Events of its history up to its last workflow task. */
  length: number;
  /** Counts what changed within that task. */
  step: number;
}

/** As a text that sorts as versions do. */
export function versionText({ began, length, step }: Omit<RunVersion, 'execution'>): string {
  return [padded(began, 15), padded(length, 8), padded(step, 8)].join('.');
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
