/** Tokens and money that a run has used; the `usage` of the command line's JSON. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** null where a model without a known price was called. */
  cost_usd: number | null;
}

/** Of two parts of a run, or of a run and one that it has started. */
export function sumUsage(one: Usage, other: Usage): Usage {
  const isKnown = one.cost_usd !== null && other.cost_usd !== null;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost_usd: isKnown ? exact((one.cost_usd ?? 0) + (other.cost_usd ?? 0)) : null,
  };
}

/** Without what binary fractions add. */
function exact(dollars: number): number {
  return Math.round(dollars * 1e10) / 1e10;
}

/** Whether what a run was told is a usage. */
export function isUsage(given: unknown): given is Usage {
  const { input_tokens, output_tokens, cost_usd } = (given ?? {}) as Record<string, unknown>;
  return (
    typeof input_tokens === 'number' &&
    typeof output_tokens === 'number' &&
    (cost_usd === null || typeof cost_usd === 'number')
  );
}
