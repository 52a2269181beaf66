export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines of either side beyond which the middle is shown as removed and added as a whole: the table grows with their product. */
const mostCompared = 1_500;

/** What lines were taken away from one text and put into the other: the longest common sequence of lines stays. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail++;
  return [
    ...toLines('same', old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...toLines('same', old.slice(old.length - tail)),
  ];
}

function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length > mostCompared || now.length > mostCompared)
    return [...toLines('removed', old), ...toLines('added', now)];
  const width = now.length + 1;
  /** Of each pair of places, how many lines are common from there on. */
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i++] ?? '' });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ kind: 'removed', text: old[i++] ?? '' });
    else lines.push({ kind: 'added', text: now[j++] ?? '' });
  }
  return [...lines, ...toLines('removed', old.slice(i)), ...toLines('added', now.slice(j))];
}

function toLines(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}
