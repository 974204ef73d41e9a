/** Writes zstd-compressed tar archives, for transferring feeds to installations without internet access. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'

/** Writes the files one after another, with only one of them in memory at a time. */
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
