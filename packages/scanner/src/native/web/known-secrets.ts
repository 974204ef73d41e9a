/** Secrets with which nothing should be signed, because everyone can know them. */

// cspell:disable
const words = [
  'secret password changeme change-me changeit admin test testing jwt token auth key private default example dev',
  'development qwerty letmein insecure session cookie flask express node hello root pass demo super',
  'app myapp my_app application server web website site api shop',
  'secretkey secretKey secret_key secret-key my_secret my-secret mysecret mysecretkey my_secret_key my-secret-key',
  'your_secret your-secret your-secret-key your_secret_key yoursecret yoursecretkey your-256-bit-secret',
  'your_jwt_secret your-jwt-secret jwtsecret jwt_secret jwt-secret jwtSecret jwt_secret_key JWT_SECRET',
  'SECRET SECRET_KEY SuperSecret supersecret super-secret super_secret super_secret_key superSecretKey',
  'topsecret s3cr3t s3cret secret123 123456 12345678 123456789 1234567890 shhh shhhh shhhhh thisisasecret',
  'this-is-a-secret this_is_a_secret thisismysecret not-so-secret notsosecret replace-me replaceme todo',
]
const phrases = [
  'keyboard cat',
  'some secret',
  'my secret',
  'a secret',
  'this is a secret',
  'super secret key',
  'secret key',
]
const otherPhrases = ['you-will-never-guess', 'dev key', 'change this', 'P@ssw0rd', '']
/** Keys in the documentation of frameworks. */
const documented = [
  'add any string...',
  '!secret',
  'some-random-string',
  'super-secret-key',
  'some-secret-key',
  'a-very-secret-key',
  'something-very-secret',
  'itsaseekreet',
  'key1',
  'newest secret key',
  'i like turtle',
  'some secret hurr',
  'hard to guess string',
  'a secret with minimum length of 32 characters',
  'password-should-be-32-characters',
  'password_at_least_32_characters_long',
  'complex_password_at_least_32_characters_long',
  'the-password-must-be-at-least-32-characters-long',
  'cookie_encryption_password_secure',
  '__TODO:_GENERATE_YOUR_OWN_RANDOM_VALUE_HERE__',
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7',
  'a-string-secret-at-least-256-bits-long',
]
/** Defaults of Apache Superset (CVE-2023-27524) and Apache Airflow (CVE-2020-17526). */
const defaults = [
  '\u0002\u0001thisismyscretkey\u0001\u0002\\e\\y\\y\\h',
  'CHANGE_ME_TO_A_COMPLEX_RANDOM_SECRET',
  'thisISaSECRET_1234',
  'YOUR_OWN_RANDOM_GENERATED_SECRET_KEY',
  'TEST_NON_DEV_SECRET',
  'temporary_key',
]
// cspell:enable
/** Secrets of examples, documentation, and tutorials. */
const secrets: readonly string[] = words
  .flatMap((line) => line.split(' '))
  .concat(phrases, otherPhrases, documented, defaults)

/**
 * The secret for which `isSigned` is true.
 *
 * @param others names of the application, tried after the secrets of examples
 */
export function secretThat(isSigned: (secret: string) => boolean, others: readonly string[] = []): string | undefined {
  return [...secrets, ...others].find((candidate) => isSigned(candidate))
}

/** The name of the application, as the title of its start page shows it. */
export function namesOf(body: string): readonly string[] {
  const [, name = ''] = /<title>\s{0,20}([a-z][a-z\d]{3,20})\b/i.exec(body) ?? []
  return name === '' ? [] : [name.toLowerCase()]
}
