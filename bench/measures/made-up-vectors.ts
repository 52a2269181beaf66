/** Vectors of length 1 round some topics, as those of texts are: always the same ones. */
export interface MadeUpVectors {
  of(n: number): Float32Array;
  question(n: number): Float32Array;
}

const topics = 200;

export function madeUpVectors(count: number, dimensions: number): MadeUpVectors {
  const random = randomFrom(1);
  const near = (centre: Float32Array | null, spread: number): Float32Array => {
    const numbers = Array.from(
      { length: dimensions },
      (_, i) => (centre?.[i] ?? 0) + spread * (random() - 0.5),
    );
    const length = Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0));
    return Float32Array.from(numbers, (each) => each / length);
  };
  const centres = Array.from({ length: topics }, () => near(null, 1));
  const spread = 3 / Math.sqrt(dimensions);
  const all = Array.from({ length: count }, (_, n) => near(centres[n % topics] ?? null, spread));
  return {
    of: (n) => all[n] ?? near(null, 1),
    question: (n) => near(centres[(n * 7) % topics] ?? null, spread),
  };
}

/** The vectors nearest to one, by comparing with all of them. */
export function cosineOrder(
  vectors: MadeUpVectors,
  count: number,
  asked: Float32Array,
  most: number,
): number[] {
  const scores = Array.from({ length: count }, (_, n) => {
    const vector = vectors.of(n);
    let [dot, ofVector, ofAsked] = [0, 0, 0];
    for (let i = 0; i < asked.length; i++) {
      const [a, b] = [asked[i] ?? 0, vector[i] ?? 0];
      dot += a * b;
      ofAsked += a * a;
      ofVector += b * b;
    }
    return { n, score: dot / Math.sqrt(ofVector * ofAsked) };
  });
  return scores
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ n }) => n);
}

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
