/** Longest name of a checkpoint: people read it in lists, and it is kept with every checkpoint. */
const maxLength = 100;

/** The name as the log has it: cut between two characters where it is long. */
export function checkpointName(name: string): string {
  if (name.length <= maxLength) return name;
  return `${name.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
