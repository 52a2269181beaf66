import { nodeModelTypes, pythonModelTypes } from '../../contract/predictions/served-model.js';

/** Types of models that there are: each runs here. */
export const modelTypes: readonly string[] = [
  ...['mock', 'http', 'llm', ...nodeModelTypes, ...pythonModelTypes],
  ...['ensemble', 'ab_test', 'traffic_split'],
];
