import type { VNode } from 'preact';
import { lineDiff, type DiffLine } from './line-diff.js';
import { Text } from './text.js';

const signs = { same: ' ', removed: '−', added: '+' } as const;
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const;
/** Lines around a change that are shown with it. */
const around = 3;
const mostShown = 2_000;

/** What has changed from one text to another, line by line, with what stands around it. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }): VNode {
  const lines = lineDiff(before, after);
  const shown = lines.map((_, i) => lines.slice(Math.max(0, i - around), i + around + 1).some(isChange));
  if (!shown.includes(true)) return <p class="muted">No changes.</p>;
  return (
    // It scrolls by itself, and so has to be reached by keyboard.
    <div class="diff" role="group" aria-label={label} tabIndex={0}>
      {lines.slice(0, mostShown).map((line, i) =>
        shown[i] === true ? (
          <div key={i} class={`diff-line ${line.kind}`}>
            <span class="diff-sign" aria-hidden="true">
              {signs[line.kind]}
            </span>
            <span class="only-read">{words[line.kind]}</span>
            <Text text={line.text} />
          </div>
        ) : (
          shown[i - 1] !== false && (
            <div key={i} class="diff-gap">
              <span aria-hidden="true">⋯</span>
              <span class="only-read">unchanged lines</span>
            </div>
          )
        ),
      )}
      {lines.length > mostShown && <div class="diff-gap">{lines.length - mostShown} more lines</div>}
    </div>
  );
}

function isChange({ kind }: DiffLine): boolean {
  return kind !== 'same';
}
