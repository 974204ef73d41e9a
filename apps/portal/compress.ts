import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(js|css|html|svg|json|webmanifest)$/

/** Lays a Brotli and a gzip form beside each file of the build, so that the server never compresses while it answers. */
export function compressed(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir)
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true, withFileTypes: true })
      const wanted = files.filter((file) => file.isFile() && compressible.test(file.name))
      await Promise.all(wanted.map((file) => compress(join(file.parentPath, file.name))))
    },
  }
}

async function compress(path: string): Promise<void> {
  const text = await readFile(path)
  const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(text, best))
  await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }))
}
