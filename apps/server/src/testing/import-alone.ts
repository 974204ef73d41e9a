/** An import in a process of its own, so that a test can kill it. Each line says what is being written. */
import { importAside } from '#packs/import-aside.ts'

const [, , path = '', databaseUrl = '', packsFolder = ''] = process.argv
await importAside(path, { databaseUrl, packsFolder, onProgress: (words) => process.stdout.write(`${words}\n`) })
