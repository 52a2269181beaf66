const width = 70;
const linesAround = 2;
const longestLine = 100;

/**
 * The boxed warning of a call outside of a checkpoint, with the lines around it. Its first words are those of the
 * reference, which procedures and tests look for.
 */
export function determinismBox(
  call: string,
  at: { file: string; line: number } | null,
  lines: readonly string[],
): string {
  const rule = '='.repeat(width);
  return [
    rule,
    `DETERMINISM WARNING: ${call} called outside checkpoint`,
    rule,
    ...(at === null ? [] : ['', `${at.file}:${at.line}`, ...excerpt(lines, at.line)]),
    '',
    'Its result is not recorded. A replay of this run repeats it, but a run',
    'that goes on with an edited source, or elsewhere, gets another one, and',
    'may take another way.',
    '',
    'To record it:',
    '',
    '  local value = checkpoint(function()',
    `    return ${call}`,
    '  end)',
    '',
    'Step.checkpoint(function() … end) does the same.',
    rule,
  ].join('\n');
}

/** The line and those around it, numbered, with a mark at it. */
function excerpt(lines: readonly string[], line: number): string[] {
  if (lines.length < line) return [];
  const first = Math.max(1, line - linesAround);
  const shown = lines.slice(first - 1, line + linesAround).map((text, i) => ({ text, number: first + i }));
  return [
    '',
    ...shown.map(({ text, number }) =>
      `${number === line ? '  > ' : '    '}${String(number).padStart(5)} | ${cut(text.trimEnd())}`.trimEnd(),
    ),
  ];
}

function cut(text: string): string {
  return text.length > longestLine ? `${text.slice(0, longestLine - 1)}…` : text;
}
