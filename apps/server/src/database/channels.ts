/** NOTIFY channels. The payload is a workspace id for events and members, and a queue name for jobs. */
export const channels = { events: 'glacis_event', members: 'glacis_member', jobs: 'glacis_job' } as const
