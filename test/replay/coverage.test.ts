import { beforeAll, describe, expect, it } from 'vitest';
import type { EffectKind } from '../../src/contract/effects.js';
import { keptVersions } from '../support/kept-bundle.js';
import { keptHistories, readHistory } from './kept-histories.js';
import { marksOf } from './marks.js';

/** What each kind of effect leaves in a history; all of it must be in some. */
const marksOfEffects: Record<EffectKind, RegExp[]> = {
  model_call: [/^activity modelCall$/],
  predict: [/^activity predict$/, /^local mockPredict$/],
  http: [/^activity httpRequest$/],
  human: [/^signal decide$/, /^update decide$/, /^timer $/, /^timerCanceled$/],
  sleep: [/^timer sleep /, /^timer retry after /, /^timerFired$/],
  file: [/^local file$/, /^local file failed$/],
  procedure: [/^startChildWorkflowExecutionInitiated$/, /^childWorkflowExecutionFailed$/],
  spawn: [/^childWorkflowExecutionCompleted$/, /^signal tactus_child_closed$/],
  children: [/^activity lookAtRuns$/, /^sent tactus_knock$/, /^signalExternalWorkflowExecutionFailed$/],
  cancel_child: [/^requestCancelExternalWorkflowExecutionInitiated$/, /^childWorkflowExecutionCanceled$/],
  defer: [/^timer \w+: it is time$/],
};

/** What else a run of this version does. */
const otherMarks = [
  /^local breathe$/,
  /^activity breathe$/,
  /^local loadProcedure$/,
  /^local storesLargePayloads$/,
  /^marker core_patch$/,
  /^upsertWorkflowSearchAttributes$/,
  /^activityTaskFailed$/,
  /^activityTaskCancelRequested$/,
  /^workflowExecutionCompleted$/,
  /^workflowExecutionFailed$/,
  /^workflowExecutionCanceled$/,
  /^workflowExecutionContinuedAsNew$/,
];

const kept = keptHistories();

describe.each(keptVersions())('histories of %s', (version) => {
  let marks: string[];

  beforeAll(() => {
    const histories = kept.filter((each) => each.version === version).map(readHistory);
    marks = [...new Set(histories.flatMap((history) => [...marksOf(history)]))];
  });

  const missing = (wanted: RegExp[]): string[] =>
    wanted.filter((mark) => !marks.some((each) => mark.test(each))).map(String);

  it.each(Object.entries(marksOfEffects))('have effects of the kind %s', (_kind, wanted) => {
    expect(missing(wanted)).toEqual([]);
  });

  it('have all else that a run does', () => {
    expect(missing(otherMarks)).toEqual([]);
  });

  it('have every way in which a run that continued as new goes on', () => {
    const carried = kept.filter((each) => each.version === version && each.execution > 0);
    expect(carried.filter(({ workflowId }) => workflowId === 'carried').length).toBeGreaterThan(2);
    const after = carried.flatMap((each) => [...marksOf(readHistory(each))]);
    for (const mark of [
      'signal decide',
      'update decide',
      'timerFired',
      'sent tactus_knock',
      'signal tactus_child_closed',
      'local file',
      'activity modelCall',
    ])
      expect(after).toContain(mark);
  });
});
