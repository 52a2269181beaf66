import { performing } from '../effects/effect-kind.js';
import { localHelpers, remoteHelpers } from '../effects/activities.js';

/** Has a worker look at what a model has written: it has the parser, which a workflow is too small for. */
export const codeCheck = performing('code_check', {
  perform(_context, opened, { text, tools }) {
    const { checkCode } = remoteHelpers(opened.request.title);
    opened.follow(
      () => checkCode({ text, tools }),
      ({ value }) => opened.end(value),
    );
  },
  performLocally(_context, opened, { text, tools }) {
    const { checkCode } = localHelpers(opened.request.title);
    return () => checkCode({ text, tools });
  },
});
