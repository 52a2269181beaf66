import { TactusError } from '../../contract/errors.js';
import { BothFaces } from './both-faces.js';
import { checkProcedureId } from './procedure-id.js';

/** A storage whose records are made by something else: whatever would write is refused. */
export abstract class ReadOnlyStorage extends BothFaces {
  /** Why a record can't be written, and what changes it. */
  protected abstract readonly whyNotWritten: string;

  override async saveCheckpoint(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  async updateProcedureStatus(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  async setState(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  async stateSet(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  /** @throws TactusError usage */
  #refuse(procedureId: string): never {
    checkProcedureId(procedureId);
    const message = `${procedureId} can't be written: ${this.whyNotWritten}`;
    throw new TactusError('usage', message, { run_id: procedureId });
  }
}
