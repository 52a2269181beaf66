import type { PayloadCodec } from '@temporalio/common';
import { TactusError, type DetailsOf, type ErrorCode } from '../../../contract/errors.js';

/** What a codec fails with. The SDK keeps the name of its class, by which the failure of a task that it ends is left unencoded. */
export class CodecFault<
  Code extends ErrorCode = ErrorCode,
  Details extends object = DetailsOf<Code>,
> extends TactusError<Code, Details> {}

/** The run or the activity that a payload belongs to, as the SDK tells its codecs. */
export type PayloadOwner = NonNullable<Parameters<PayloadCodec['decode']>[1]>;

/** ` of run r-1`; empty where the SDK doesn't say. */
export function ownerText(owner: PayloadOwner | undefined): string {
  return owner?.workflowId === undefined ? '' : ` of run ${owner.workflowId}`;
}
