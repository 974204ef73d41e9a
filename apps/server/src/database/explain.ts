import { Obstacle } from '#obstacle.ts'

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No PostgreSQL answers at DATABASE_URL; start it, or leave the setting out to use the embedded one.',
  ENOTFOUND: 'The host in DATABASE_URL has no address; mend the name.',
  ETIMEDOUT: 'PostgreSQL at DATABASE_URL does not answer in time; check the address and the firewall.',
  // SQLSTATE, PostgreSQL's appendix A.
  '28P01': 'PostgreSQL refuses the password in DATABASE_URL.',
  '28000': 'PostgreSQL refuses the user in DATABASE_URL; see its pg_hba.conf.',
  '3D000': 'The database in DATABASE_URL does not exist; make it with createdb.',
  '42501':
    'The user in DATABASE_URL may not do what the set-up needs: it must own the database and may make roles ' +
    '(ALTER ROLE … CREATEROLE), or an administrator grants it the role glacis_app.',
}

/** Turns what a database refuses at the start into a sentence for whoever runs it; other errors stay as they are. */
export function explainDatabase(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence = sentences[code]
  return sentence ? new Obstacle(sentence, { cause: error }) : error
}
