/** Types of models that Tactus knows. */
export const modelTypes: readonly string[] = [
  ...['mock', 'http', 'pytorch', 'sklearn', 'hf_sequence_classifier', 'llm', 'registry', 'ensemble'],
  ...['ab_test', 'traffic_split', 'naive_bayes', 'bert', 'onnx', 'sentence_transformers', 'sagemaker'],
];

/** Those that a run can ask. */
export const modelTypesHere: readonly string[] = ['mock', 'http', 'llm'];
