import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(js|css|html|svg|json|webmanifest)$/

/** What forms of a file there are: itself, Brotli, gzip. */
const forms = ['', '.br', '.gz']

/**
 * Lays a Brotli and a gzip form beside each file of the build, so that the server never compresses while
 * it answers. The page itself comes last, and what an earlier build left goes after that: whoever asks a
 * running server meanwhile gets a page whose files are all there.
 */
export function compressed(): Plugin {
  let folder = ''
  let written: ReadonlySet<string> = new Set()
  return {
    name: 'compressed',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir)
    },
    writeBundle(_options, bundle) {
      written = new Set(Object.keys(bundle).flatMap((name) => forms.map((form) => name + form)))
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true, withFileTypes: true })
      const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
      const isOld = (path: string) => {
        const name = relative(folder, path).replaceAll('\\', '/')
        return name.startsWith('files/') && !written.has(name)
      }
      const wanted = paths.filter((path) => compressible.test(path) && !isOld(path))
      await Promise.all(wanted.filter((path) => !path.endsWith('.html')).map(compress))
      await Promise.all(wanted.filter((path) => path.endsWith('.html')).map(compress))
      await Promise.all(paths.filter(isOld).map((path) => rm(path)))
    },
  }
}

async function compress(path: string): Promise<void> {
  const text = await readFile(path)
  const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(text, best))
  await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }))
}
