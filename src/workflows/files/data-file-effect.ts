import { performing } from '../effects/effect-kind.js';
import { remoteHelpers } from '../effects/activities.js';

/** One operation on a file of data. A library reads it, which may take its time: never within a workflow task. */
export const dataFile = performing('data_file', {
  perform(_context, opened, { kind: _, ...input }) {
    const { dataFileOutcome } = remoteHelpers(opened.request.title);
    opened.follow(
      () => dataFileOutcome(input),
      ({ value }) => opened.end(value),
    );
  },
});
