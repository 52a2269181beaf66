/** Tokens and money that a run has used; the `usage` of the command line's JSON. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** null where a model without a known price was called. */
  cost_usd: number | null;
}
