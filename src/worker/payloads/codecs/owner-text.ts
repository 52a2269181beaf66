import type { PayloadCodec } from '@temporalio/common';

/** The run or the activity that a payload belongs to, as the SDK tells its codecs. */
export type PayloadOwner = NonNullable<Parameters<PayloadCodec['decode']>[1]>;

/** ` of run r-1`; empty where the SDK doesn't say. */
export function ownerText(owner: PayloadOwner | undefined): string {
  return owner?.workflowId === undefined ? '' : ` of run ${owner.workflowId}`;
}
