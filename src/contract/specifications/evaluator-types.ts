/** What an `Evaluation` looks at: `field.min_length{field = "greeting", value = 1}`. */
export const evaluatorTypes = [
  'agent_turns',
  'contains',
  'contains_any',
  'equals_expected',
  'exact_match',
  'is_instance',
  'json_schema',
  'llm_judge',
  'max_cost',
  'max_iterations',
  'max_length',
  'max_tokens',
  'min_length',
  'range',
  'regex',
  'state_check',
  'tool_called',
] as const;

export type EvaluatorType = (typeof evaluatorTypes)[number];
