/** Arguments of the development server: a server deletes a run when it has looked through its queues, by default twice a minute. */
export const soonDeleted = ['transfer', 'visibility'].flatMap((queue) => [
  '--dynamic-config-value',
  `history.${queue}ProcessorUpdateAckInterval="200ms"`,
]);
