/** One file out of many, to be carried where there is no network: a tar, packed with zstd. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'

/** Writes the files one after the other; each is held in memory alone. */
export async function packFiles(
  path: string,
  files: AsyncIterable<{ readonly name: string; readonly content: string | Buffer }>,
): Promise<void> {
  const archive = pack()
  async function fill(): Promise<void> {
    for await (const { name, content } of files) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      archive.entry({ name }, content, (error) => (error ? reject(error) : resolve()))
      await promise
    }
    archive.finalize()
  }
  const filling = fill().catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  await pipeline(archive, createZstdCompress(), createWriteStream(path))
  await filling
}
