/** Valid inputs that the mutations start from. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const packs = join(import.meta.dirname, '../packs')

/** The texts of all files with this ending, in the order of their names. */
export function packFiles(folder: string, ending: string): string[] {
  return readdirSync(join(packs, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => readFileSync(join(packs, folder, name), 'utf8'))
}

export const cpeNames = [
  'cpe:2.3:a:joomla:joomla\\!:3.9.1:rc1:*:*:*:*:*:*',
  'cpe:/a:apache:http_server:2.4.49',
  'cpe:2.3:o:cisco:ios:12.2\\(33\\)sxj:*:*:*:*:*:*:*',
]
export const cvssVectors = [
  'AV:N/AC:L/Au:N/C:P/I:P/A:P',
  'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:P/RL:O',
  'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
]
export const versions = [
  '1:2.36.1-8+deb12u2',
  '1.6.7~rc0',
  '10.4.3-MariaDB-log',
  '2.4.49',
  '9.2p1',
  '1.0.0-alpha.1+exp.sha',
  'v18.20.4',
]
export const addresses = [
  'app.example.com',
  'https://[2001:db8::1]:8443/path?x=1',
  '192.0.2.0/24',
  '192.0.2.1-192.0.2.20',
  '127.0.0.1:8080',
  'zürich.example',
  'fe80::1%eth0',
]
export const ipAddresses = [
  '192.0.2.7',
  '2001:db8::8a2e:370:7334',
  '::ffff:192.0.2.128',
  '192.0.2.0/24',
  '2001:db8::/32',
]
export const portLists = ['80,443,8000-8100', '1-1024', '22, 25']
export const banners = [
  'SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u2\r\n',
  '220 ftp.example FTP server (vsFTPd 3.0.3)\r\n',
  '* OK [CAPABILITY IMAP4rev1] Dovecot ready.\r\n',
  'INFO {"server_id":"x","version":"2.9.10"}\r\n',
  'J\0\0\0\x0a8.0.36\0\x08\0\0\0',
  '<GANGLIA_XML VERSION="3.7.2" SOURCE="gmond">',
  '\xff\xfd\x18\xff\xfb\x01login: ',
]
export const pages = [
  '<!doctype html><html><head><title>Grafana</title><meta name="generator" content="WordPress 6.4.2"><script src="/js/main.3f2a.js?v=1.2.3"></script></head><body><form><input name="csrf" value="x&amp;y"></form></body></html>',
  '<?xml version="1.0"?><a xmlns:b="urn:b"><b:c d="e">f</b:c><![CDATA[g]]></a>',
]
export const jsonTexts = [
  '{"version":{"number":"7.17.9"},"items":[{"name":"a","tags":["x"]},{"n":1e3}],"__proto__":{"a":1}}',
]
export const flows = ['http(1) && (http(2) || !http(3))', 'http()', 'http(1) && http(2);']
// cspell:ignore softmatch
export const nmapProbes = [
  [
    'Probe TCP NULL q||',
    'match ftp m|^220 ([-\\w]+) FTP server \\(vsFTPd ([\\d.]+)\\)\\r\\n|s p/vsftpd/ v/$2/ h/$1/ cpe:/a:vsftpd:vsftpd:$2/',
    'Probe TCP GetRequest q|GET / HTTP/1.0\\r\\n\\r\\n|',
    'match http m=^HTTP/1\\.[01] 200 OK\\r\\n.*Server: nginx/([\\d.]+)=is p/nginx/ v/$SUBST(1,"_",".")/ cpe:/a:igor_sysoev:nginx:$1/a',
    'softmatch http m|^HTTP/1| p/HTTP/',
  ].join('\n'),
]
export const technologyFiles = [
  JSON.stringify({
    technologies: {
      Nginx: {
        cats: [22],
        cpe: 'cpe:2.3:a:f5:nginx:*:*:*:*:*:*:*:*',
        headers: { Server: '^nginx(?:/([\\d.]+))?\\;version:\\1\\;confidence:90' },
        cookies: { sid: '[0-9]+' },
        meta: { generator: 'x ([\\d.]+)' },
        html: ['<center>nginx/([\\d.]+)</center>'],
        scriptSrc: 'nginx-([\\d.]+)\\.js',
      },
    },
  }),
]
export const jqQueries = ['.items[].name', '.version.number', '.[] | select(.a == "x")', '.a // .b + "c" | length']
export const xpaths = [
  '//input[@name="csrf"]/@value',
  '/html/head/title',
  'count(//a[position() > 1])',
  '//script/preceding::meta',
]
export const expressions = [
  "contains(body, 'admin') && status_code == 200",
  'regex("a+", to_lower(header)) || len(body) > 10',
  "compare_versions(version, '>= 1.0', '< 2.0')",
  'base64(md5(body + "x"))',
  "replace_regex(body, '(a|b)+', 'c') == 'c'",
]
export const rawRequests = [
  '@timeout: 10s\nGET /{{path}}?a=1 HTTP/1.1\nHost: {{Hostname}}\nCookie: a=b\n\n',
  'POST /a HTTP/1.1\r\nHost: {{Hostname}}\r\nContent-Length: 3\r\n\r\nabc',
]
export const cookies = ['sid=abc; Path=/; Max-Age=60; HttpOnly', 'a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT; path=/x']
export const patterns = ['(?i)version[:=] ?"?([0-9.]+)', '^(a+)+$', '[\\w-]{1,40}@\\pL+', '(?P<x>a)\\b|\\x{1F600}']
/** Values that expressions of templates may read. */
export const variables: Readonly<Record<string, string | number>> = {
  body: pages[0] ?? '',
  header: 'Server: nginx/1.25.3',
  status_code: 200,
  version: '1.2.3',
}
