const highSurrogate = /[\uD800-\uDBFF]$/;

/** Pieces of a text whose characters are whole: half a character at the end of one waits for the next. */
export interface WholeCharacters {
  add(piece: string): void;
  /** Nothing more comes: half a character that waits is told as it is. */
  end(): void;
}

export function wholeCharacters(tell: (piece: string) => void): WholeCharacters {
  let half = '';
  return {
    add: (piece) => {
      const text = half + piece;
      half = highSurrogate.exec(text)?.[0] ?? '';
      const whole = text.slice(0, text.length - half.length);
      if (whole !== '') tell(whole);
    },
    end: () => {
      if (half !== '') tell(half);
      half = '';
    },
  };
}
