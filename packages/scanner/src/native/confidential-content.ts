/** Recognizes files with secrets or personal data by their name and content. */
import { isDecisive, normalized, personalMember } from '#native/web/personal-data.ts'
import { kindOf, recordsIn } from '#native/web/record-kinds.ts'
import { secretKeyIn } from '#native/web/script-secrets.ts'

/** Files that are meant to be read, such as examples and translations. */
const harmless =
  /example|sample|template|dummy|schema|swagger|openapi|manifest|package(?:-lock)?\.json|composer\.|\/(?:i18n|lang|languages|locales?|translations?)\//i

interface FileKind {
  readonly names: RegExp
  /** @returns the part of the content that proves it */
  readonly proof: (content: string, path: string) => string | undefined
}

const privateKey = /-----BEGIN (?:[A-Z]{2,9} )?PRIVATE KEY-----|^PuTTY-User-Key-File-\d/m
/** A value that isn't a placeholder, a reference, or a word of a user interface. */
const secretValue = String.raw`(?!\$\{|\$[A-Z(]|<|%|\{\{|change|your|example|placeholder|redacted|process\.|os\.)(?=[^\s"'<>]{0,60}[\d!@#$%^&*+_./-])[^\s"'<>,;]{6,200}`
const secret = new RegExp(
  String.raw`(?:^|[\s"'_.<\[?&$-])(?:password|passwd|passwort|kennwort|passphrase|pass|pwd|psk|secret|secret[_-]?key|api[_-]?key|access[_-]?key|(?:auth|access)?[_-]?token|private[_-]?key)["'\]]?\s{0,9}(?:=>|[:=>])\s{0,9}["']?${secretValue}`,
  'im',
)
/** Any value with letters and digits, in a file whose name says that it contains secrets. */
const namedValue =
  /^[ \t"'-]{0,20}[\w.-]{1,40}["']?[ \t]{0,9}[:=][ \t]{0,9}["']?(?!\$\{|<|change|example|https?:)(?=[^\s"']{0,60}\d)(?=[^\s"']{0,60}[A-Za-z])[^\s"',]{8,200}/im
const passwordHash = /^[\w.@-]{1,60}:(?:\$apr1\$|\$2[aby]\$|\{SHA\}|\$[156]\$)[^\n]{0,100}/m
const dump =
  /^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)\b[^\n]{0,60}|(?:INSERT INTO|COPY) [^\n]{0,200}?(?:account|address|credential|customer|e_?mail|employee|member|order|pass|person|session|user)[^\n]{0,200})/im
const archive = new RegExp(String.raw`^(?:PK\x03\x04|\x1f[\x8b\ufffd]\x08|BZh\d|\ufffd7zXZ|7z\ufffd\ufffd|Rar!)`)
const database = /^SQLite format 3/

const first = (sign: RegExp) => (content: string) => sign.exec(content)?.[0]

const kinds: readonly FileKind[] = [
  { names: /\.(?:key|pem|ppk|rsa)$|\/id_(?:rsa|dsa|ecdsa|ed25519)$/i, proof: first(privateKey) },
  { names: /\.(?:htpasswd|passwd|shadow)(?:[.~]\w{0,8})?$|\/(?:htpasswd|passwd|shadow)$/i, proof: first(passwordHash) },
  {
    names:
      /\.(?:env|ini|conf|cfg|cnf|config|ya?ml|json|properties|xml|toml|inc|php|phps|py|rb|pl|sh|ps1|bat|txt|log|bak|old|orig|save|swp)(?:[.~]\w{0,8})?$|~$|\/\.env/i,
    proof: (content) => secretKeyIn(content) ?? first(secret)(content) ?? first(passwordHash)(content),
  },
  {
    names:
      /(?:credential|passwd|passwort|password|secret)s?[^/]{0,40}\.(?:conf|env|ini|json|properties|toml|txt|xml|ya?ml)$/i,
    proof: first(namedValue),
  },
  { names: /\.(?:sql|dump|dmp)(?:[.~]\w{0,8})?$/i, proof: first(dump) },
  // Such as `/admin/backup.php`, whose response has the content of a file.
  {
    names: /\/[\w-]{0,40}(?:backup|dump|export)[\w-]{0,40}(?:\.(?:aspx?|cgi|do|jsp|php|pl))?$/i,
    proof: (content) => first(dump)(content) ?? first(database)(content) ?? personalColumns(content),
  },
  { names: /\.(?:csv|tsv|txt)(?:[.~]\w{0,8})?$/i, proof: personalColumns },
  {
    names: /\/(?:accounts|contacts|customers|employees|members|patients|subscribers|users)\.(?:csv|tsv|txt)$/i,
    proof: addressLine,
  },
  { names: /\.json$/i, proof: (content, path) => records(content, path.replace(/\.json$/i, '')) },
  {
    names:
      /(?:backup|bak|dump|export|database|db|site|www|htdocs|config|home|source|src|private|intern)[^/]{0,60}\.(?:zip|tar|tgz|gz|bz2|xz|7z|rar)$/i,
    proof: first(archive),
  },
  { names: /\.(?:db|sqlite3?)$/i, proof: first(database) },
]

/** Whether the content of a file with this name decides. */
export function mayBeConfidential(path: string): boolean {
  return kindsOf(path).length > 0
}

/** The beginning of the part that makes a file confidential. */
export function confidentialPart(content: string, path: string): string | undefined {
  for (const { proof } of kindsOf(path)) {
    const part = proof(content, path)
    if (part !== undefined) return part.trim().slice(0, 100)
  }
  return undefined
}

function kindsOf(path: string): readonly FileKind[] {
  return harmless.test(path) ? [] : kinds.filter(({ names }) => names.test(path))
}

const personal =
  /e_?mail|phone|telefon|mobile|street|address|adresse|first_?name|last_?name|surname|vorname|nachname|^name$/

/** Columns of a table with at least one row that only its owner should read. */
function personalColumns(content: string): string | undefined {
  const [header = '', row = ''] = content.split(/\r?\n/, 2)
  const [separator = ''] = /[,;\t]/.exec(header) ?? []
  if (separator === '' || header.length > 2000 || row.split(separator).length < 2) return undefined
  const columns = header.split(separator).map((name) => normalized(name.trim().replaceAll('"', '')))
  const isPersonal = columns.some(isDecisive) || columns.filter((name) => personal.test(name)).length >= 3
  return isPersonal ? header : undefined
}

/** The email address of a person in a table of people. */
function addressLine(content: string): string | undefined {
  return /^[^\n]{0,200}[,;\t][^\n]{0,200}\n(?:[^\n]{0,300}\n)?[^\n]{0,100}\b[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,60}/
    .exec(content)?.[0]
    .split('\n')
    .at(-1)
}

function records(content: string, path: string): string | undefined {
  const kind = kindOf(path)
  return (kind && recordsIn(content, kind)) ?? personalMember(content, 'list')
}
