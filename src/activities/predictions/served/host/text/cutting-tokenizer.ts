import type { PreTrainedTokenizer, Tensor } from '@huggingface/transformers';

interface Encoded {
  input_ids: number[];
  attention_mask: number[];
  token_type_ids?: number[];
}

/** What the pipelines call: several texts, or one with another that belongs to it. */
export interface CuttingTokenizer {
  (texts: string | string[], options?: { text_pair?: string | null }): Record<string, Tensor>;
  decode: PreTrainedTokenizer['decode'];
}

export interface CuttingOptions {
  /** Tokens that a text is cut to. */
  most: number;
  /** Whether the model wants to know which of two texts a token is of. */
  hasTypes: boolean;
  /** Makes a tensor of the library that the tokenizer is of. */
  tensor: (values: BigInt64Array, dims: number[]) => Tensor;
}

/**
 * The tokenizer of a model, as the pipelines of transformers.js call theirs. Too long a text loses words at its end, and not the tokens
 * behind it that end every text: those that models learned with were cut so, and transformers.js cuts otherwise.
 */
export function cuttingTokenizer(
  tokenizer: PreTrainedTokenizer,
  { most, hasTypes, tensor }: CuttingOptions,
): CuttingTokenizer {
  const encode = (text: string, pair: string | null): Encoded => {
    const options = { text_pair: pair, return_tensor: false, return_token_type_ids: hasTypes };
    const encoded = tokenizer(text, options as object) as unknown as Encoded;
    const over = encoded.input_ids.length - most;
    if (!(over > 0)) return encoded;
    const words = tokenizer.encode(text, { add_special_tokens: false });
    const end = startOf(words, encoded.input_ids) + words.length;
    const cut = (values: number[]): number[] => values.filter((_, i) => i < end - over || i >= end);
    return Object.fromEntries(
      Object.entries(encoded).map(([name, values]) => [name, cut(values as number[])]),
    ) as unknown as Encoded;
  };
  const call = (
    texts: string | string[],
    { text_pair: pair = null }: { text_pair?: string | null } = {},
  ): Record<string, Tensor> => {
    const encoded = (Array.isArray(texts) ? texts : [texts]).map((text) => encode(text, pair));
    const length = Math.max(...encoded.map(({ input_ids: ids }) => ids.length));
    const padded = (name: keyof Encoded, filler: number): Tensor => {
      const rows = encoded.map((each) => {
        const values = each[name] ?? [];
        return [...values, ...Array.from({ length: length - values.length }, () => filler)];
      });
      return tensor(BigInt64Array.from(rows.flat().map(BigInt)), [rows.length, length]);
    };
    return {
      input_ids: padded('input_ids', tokenizer.pad_token_id ?? 0),
      attention_mask: padded('attention_mask', 0),
      ...(hasTypes ? { token_type_ids: padded('token_type_ids', 0) } : {}),
    };
  };
  // Token classification leaves out what has no text: a word that the model doesn't know is no such.
  const decode: CuttingTokenizer['decode'] = (ids, options) =>
    Array.isArray(ids) && ids.length === 1 && Number(ids[0]) === tokenizer.unk_token_id
      ? (tokenizer.unk_token ?? '')
      : tokenizer.decode(ids, options);
  return Object.assign(call, { decode });
}

/** Where the words of a text begin among all its tokens. */
function startOf(words: readonly number[], all: readonly number[]): number {
  for (let start = 0; start + words.length <= all.length; start++)
    if (words.every((word, i) => all[start + i] === word)) return start;
  return 0;
}
