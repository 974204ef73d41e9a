import type { Plugin } from 'vite'

const unused = /\/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/

/**
 * Leaves out how Zod writes schemas as JSON Schema, which the portal never asks for and every schema holds on to:
 * 6 kB of what is loaded before anything shows. Each function is there still and does nothing.
 */
export function zodDiet(): Plugin {
  return {
    name: 'zod-diet',
    apply: 'build',
    transform: {
      filter: { id: unused },
      handler(code) {
        const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name)
        const aliases = [...code.matchAll(/^export \{ \w+ as (\w+) \}/gm)].map(([, name]) => name)
        const exports = [...names, ...aliases].map((name) => `nothing as ${name}`)
        return { code: `const nothing = () => undefined\nexport { ${exports.join(', ')} }`, map: null }
      },
    },
  }
}
