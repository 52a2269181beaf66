/** What the tool of both agents gives: some characters for each word. @param {{ n: number, words: number }} asked */
export const page = ({ n, words }) => `Page ${n}: ${`word${n} `.repeat(words)}`;
