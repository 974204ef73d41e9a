import { CliError } from '#cli-error.ts'
import { errorCode } from '#error-code.ts'

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'No PostgreSQL server is listening at DATABASE_URL. Start it, or unset DATABASE_URL to use the embedded one.',
  ENOTFOUND: 'The hostname in DATABASE_URL could not be resolved. Check its spelling and your DNS.',
  ETIMEDOUT: 'The connection to DATABASE_URL timed out. Check the address and the firewall.',
  // SQLSTATE, PostgreSQL's appendix A.
  '28P01': 'PostgreSQL rejected the password in DATABASE_URL. Check the username and password.',
  '28000': 'PostgreSQL rejected the user in DATABASE_URL. Check its pg_hba.conf.',
  '3D000': 'The database in DATABASE_URL does not exist. Create it with createdb.',
  '42501':
    'The user in DATABASE_URL lacks privileges: it must own the database and be allowed to create roles ' +
    '(ALTER ROLE … CREATEROLE), or an administrator must grant it the role glacis_app.',
}

/** Converts connection and permission errors at startup to CliErrors; returns other errors unchanged. */
export function explainDatabase(error: unknown): unknown {
  const sentence = sentences[errorCode(error)]
  return sentence ? new CliError(sentence, { cause: error }) : error
}
