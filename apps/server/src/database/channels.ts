/** What is told on each: accounts for which something has happened, queues in which something waits. */
export const channels = { events: 'glacis_event', jobs: 'glacis_job' } as const
