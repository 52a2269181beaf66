import type { LanguageModelMiddleware } from 'ai';
import { Context } from '@temporalio/activity';

/** Sends the AI SDK's warnings (a setting that a model doesn't have, say) to the activity's log instead of the terminal. */
export const quietWarnings: LanguageModelMiddleware = {
  async wrapGenerate({ doGenerate }) {
    const result = await doGenerate();
    logTo(Context.current(), result.warnings);
    return { ...result, warnings: [] };
  },
  async wrapStream({ doStream }) {
    // Parts pass outside of the activity's asynchronous context.
    const context = Context.current();
    const { stream, ...rest } = await doStream();
    type Part = typeof stream extends ReadableStream<infer P> ? P : never;
    const quiet = new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === 'stream-start') logTo(context, part.warnings);
        controller.enqueue(part.type === 'stream-start' ? { ...part, warnings: [] } : part);
      },
    });
    return { ...rest, stream: stream.pipeThrough(quiet) };
  },
};

function logTo(context: Context, warnings: readonly object[]): void {
  if (warnings.length > 0) context.log.warn('The model call was changed', { warnings });
}
