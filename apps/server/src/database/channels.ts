/** NOTIFY channels. The payload is an account id for events and a queue name for jobs. */
export const channels = { events: 'glacis_event', jobs: 'glacis_job' } as const
