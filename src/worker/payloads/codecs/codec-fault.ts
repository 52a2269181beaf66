import { TactusError } from '../../../contract/errors.js';

/** What a codec fails with. The SDK keeps the name of its class, by which the failure of a task that it ends is left unencoded. */
export class CodecFault extends TactusError {}
