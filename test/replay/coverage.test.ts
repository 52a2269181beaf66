import { beforeAll, describe, expect, it } from 'vitest';
import type { EffectKind } from '../../src/contract/effects/effects.js';
import { effectExamples } from '../support/effect-examples.js';
import { keptVersions } from '../support/kept-bundle.js';
import { keptHistories, readHistory } from './kept-histories.js';
import { isFrom, kindsOf } from './kinds-of-version.js';
import { marksOf } from './marks.js';

/** What engine 1 left in place of the marks of an effect's example. */
const marksOfEngine1: Partial<Record<EffectKind, RegExp[]>> = {
  predict: [/^activity predict$/, /^local mockPredict$/],
  human: [/^signal decide$/, /^update decide$/, /^timer $/, /^timerCanceled$/],
  file: [/^local file$/, /^local file failed$/],
  children: [/^activity lookAtRuns$/, /^sent tactus_knock$/, /^signalExternalWorkflowExecutionFailed$/],
};

const isEngine1 = (version: string): boolean => version === '0.1.0';

/** What else a run of this version does. */
const otherMarks = [
  /^local breathe$/,
  /^activity breathe$/,
  /^local loadProcedure$/,
  /^(local|activity) storesLargePayloads$/,
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

  it.each(kindsOf(version).map(({ kind }) => kind))('have effects of the kind %s', (kind) => {
    const ofEngine1 = isEngine1(version) ? marksOfEngine1[kind] : undefined;
    expect(missing(ofEngine1 ?? effectExamples[kind].marks)).toEqual([]);
  });

  it('have all else that a run does', () => {
    expect(missing(otherMarks)).toEqual([]);
  });

  it.runIf(isFrom('0.4.0', version))('have conversations that were sent in parts', () => {
    expect(missing([/^activity continuedModelCall$/])).toEqual([]);
  });

  it('have every way in which a run that continued as new goes on', () => {
    const carried = kept.filter((each) => each.version === version && each.execution > 0);
    expect(carried.filter(({ workflowId }) => workflowId === 'carried').length).toBeGreaterThan(2);
    const after = carried.flatMap((each) => [...marksOf(readHistory(each))]);
    for (const mark of [
      'signal decide',
      'update decide',
      'timerFired',
      'signal tactus_child_closed',
      'activity modelCall',
      ...(isEngine1(version)
        ? ['sent tactus_knock', 'local file']
        : ['activity lookAtRuns', 'local fileOutcome']),
    ])
      expect(after).toContain(mark);
  });
});
