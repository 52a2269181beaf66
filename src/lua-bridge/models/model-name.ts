/** `openai/gpt-5-mini` for `openai:gpt-5-mini`. */
export function modelName(text: string): string {
  return text.replace(/^(\w+):/, '$1/');
}
