/** What became of a stream. */
export interface StreamNote {
  /** Why it broke off; undefined: it didn't. */
  problem: Error | undefined;
}

/**
 * The same answer, whose body ends where it would break off. The client of AG-UI cancels the reader of a body that broke off, and
 * nobody hears the rejection of that, which ends the process.
 */
export function unbroken(response: Response, note: StreamNote): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = (await reader.read()) as { done: boolean; value?: Uint8Array };
        if (piece.value === undefined) controller.close();
        else controller.enqueue(piece.value);
      } catch (error) {
        note.problem = error instanceof Error ? error : new Error(String(error));
        controller.close();
      }
    },
    cancel: () => reader.cancel().catch(() => undefined),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
