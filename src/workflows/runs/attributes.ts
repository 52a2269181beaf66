import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributeNames } from '../../contract/names.js';
import type { RunFacts } from './views.js';

const procedureKey = defineSearchAttributeKey(searchAttributeNames.procedure, SearchAttributeType.KEYWORD);
const statusKey = defineSearchAttributeKey(searchAttributeNames.status, SearchAttributeType.KEYWORD);

/** Keeps the search attributes of a run up to date, with a command only where one changed. */
export class Attributes {
  private written = '';

  update({ status, procedure }: RunFacts): void {
    if (status === this.written) return;
    this.written = status;
    upsertSearchAttributes([
      { key: procedureKey, value: procedure },
      { key: statusKey, value: status },
    ]);
  }
}
