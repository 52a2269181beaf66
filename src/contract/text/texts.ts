/** Orders two texts by their code units, the same on every machine: -1, 0 or 1. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The words of a text: what white space separates. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** `1.5`: a size in bytes as megabytes. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
