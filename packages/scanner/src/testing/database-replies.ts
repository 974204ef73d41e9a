/** Replies of databases, recorded or written by their specification. */
const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** EXCSATRD with the class "Apache Derby" and the release "CSS10140/10.14.2.0 - (1828579)" in EBCDIC. */
export const derby = bytes(
  '0085d002 0001 007f 1443 001d 115e d585a3a6969992e28599a58599c39695a3999693409481 8995 0014 1404 1403000724070007144000 07240f0007 0010 1147 c19781838885 40c4859982a8 0018 116d d585a3a6969992e28599a58599c39695a3999693 0022 115a c3e2e2f1f0f1f4f0 61f1f04bf1f44bf24bf0 40 60 40 4d f1f8f2f8f5f7f95d',
)
/** A row of system.local of Cassandra. */
export const releaseVersion = Buffer.concat([
  bytes('83000000 08 00000050'),
  Buffer.from('\0\u000frelease_version\0\r\0\0\0\u0001\0\0\0\u00054.1.3', 'latin1'),
])
