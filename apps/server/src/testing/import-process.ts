/** Runs an import in its own process, so that a test can kill it. Prints each progress message. */
import { importInThread } from '#packs/import-in-thread.ts'

const [, , path = '', databaseUrl = '', packsFolder = ''] = process.argv
await importInThread(path, { databaseUrl, packsFolder, onProgress: (text) => process.stdout.write(`${text}\n`) })
