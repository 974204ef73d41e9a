import { expect, it } from 'vitest'
import { entriesIn } from '#native/ftp.ts'

it('reads the listings of Unix and Windows servers', () => {
  const listing = [
    'total 8',
    'drwxr-xr-x   2 0        0            4096 Mar 02  2024 .',
    'drwxr-xr-x    2 ftp      ftp          4096 Nov 29 14:40 backup 2024',
    '-rw-r--r--. 1 nobody nogroup 91 Mar  2 09:15 crm.sql',
    '-rw-r--r--   1 ftp         120 Jan 31  2025 notes.txt',
    'lrwxrwxrwx 1 0 0 7 Mar 2 09:15 latest -> crm.sql',
    '03-02-24  09:15AM       <DIR>          intern',
    '2024-03-02  09:15                 1234 staff list.csv',
  ]
  expect(entriesIn(listing.join('\r\n'))).toEqual([
    { name: 'backup 2024', isFolder: true },
    { name: 'crm.sql', isFolder: false },
    { name: 'notes.txt', isFolder: false },
    { name: 'intern', isFolder: true },
    { name: 'staff list.csv', isFolder: false },
  ])
})
