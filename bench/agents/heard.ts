/** What a model says for each token that it is asked for. */
export const token = 'word ';

/** When the first and the last token of an answer were sent, in ms since 1970; 0: it is being written. */
export interface Streamed {
  first: number;
  last: number;
}

/** What a reader has had: characters of text, and when the last of them and the last event of all came, in ms since 1970. */
export interface Heard {
  characters: number;
  lastText: number;
  last: number;
}
