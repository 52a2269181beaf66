import { z } from '@hono/zod-openapi';
import { plainWord } from '../http/common.schema.js';

/** What a file that is handed in is called. */
export const uploadQuery = z.object({
  name: plainWord(255)
    .refine((text) => !/[\\/]/.test(text), 'a name, and no path')
    .openapi({ example: 'report.pdf' }),
});

export const uploadSchema = z
  .object({
    id: z.string(),
    sha256: z.string().openapi({ description: 'Of its bytes, in hexadecimal' }),
    value: z.object({ name: z.string(), url: z.string(), size: z.number().int(), type: z.string() }).openapi({
      description: 'For the decision; `url` is where whoever may read in the namespace has it back',
    }),
  })
  .openapi('Upload');
/** A file that is kept, and what a decision says of it. */
export type SentFile = z.infer<typeof uploadSchema>;
