import type { Retrieval } from './retrieval.js';
import { always, defineEffect, listed, setting } from '../effects/define-effect.js';

/** Questions to a corpus of texts. */
export const retrieve = defineEffect<{ kind: 'retrieve'; retrieval: Retrieval }>()({
  kind: 'retrieve',
  since: '0.8.0',
  types: ['retrieve'],
  identity: {
    changedWith: [],
    fields: {
      kind: always,
      retrieval: {
        fields: {
          retriever: always,
          setup: {
            fields: {
              ...{ id: always, corpus: setting, chunking: setting, embedding: setting, snippet: setting },
              ...{ stopWords: setting, timeoutMs: listed, retry: listed, taskQueue: listed },
            },
          },
          query: always,
          bounds: always,
        },
      },
    },
  },
  effectClass: () => 'pure',
  shown: ({ retrieval: { query } }) => query,
  wait: 'activity',
  failure: 'retrieval_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'file',
  example: ({ retrieval: { query } }) => ({
    evidence:
      query === null
        ? []
        : [
            {
              ...{ id: 'a.md#0-1', item_id: 'a.md', rank: 1, score: 1 },
              ...{ text: query, span_start: 0, span_end: 1 },
            },
          ],
    ...{ version: 'sha256:0', model_version: null, files: 1, chunks: 1 },
  }),
});
