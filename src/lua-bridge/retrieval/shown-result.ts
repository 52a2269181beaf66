import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { Evidence, RetrievalResult } from '../../contract/retrieval/retrieval.js';

/** What a procedure gets of what was found. */
export function shownResult(query: string, result: RetrievalResult, joinWith: string): JsonObject {
  const { evidence, version, model_version: model } = result;
  return {
    query,
    text: textsIn(evidence).join(joinWith),
    evidence: evidence as unknown as JsonValue,
    evidence_count: evidence.length,
    version,
    ...(model === null ? {} : { model_version: model }),
  };
}

/** The texts that count, as they go into a prompt. */
export function textsIn(evidence: readonly Evidence[]): string[] {
  return evidence.map(({ text }) => text.trim()).filter((text) => text !== '');
}
