/** The catalog of real programs: one YAML file per program in `lab/programs`. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseDocument } from 'yaml'
import { z } from 'zod'

/** The source of the version that a scan should read. `none`: the program doesn't disclose it remotely. */
const VersionRule = z.union([
  z.literal('none'),
  z.string().regex(/^\d/, 'A version starts with a digit'),
  z.strictObject({ dpkg: z.string() }),
  z.strictObject({ npm: z.string() }),
  z.strictObject({ pip: z.string() }),
  /** A module in the go.mod of the build. */
  z.strictObject({ go: z.string() }),
  z.strictObject({ cargo: z.string() }),
  /** A shell command that prints the version. */
  z.strictObject({ run: z.string() }),
])
export type VersionRule = z.infer<typeof VersionRule>

const Texts = z.record(z.string().regex(/^[^/]/, 'A path within the working folder'), z.string())

const Install = z.strictObject({
  /** Debian packages, installed with apt-get. */
  apt: z.array(z.string()).default([]),
  /** Debian packages that conflict with others and are only unpacked, to `$PACKAGES`. */
  unpack: z.array(z.string()).default([]),
  /** `name@version`, in `$PACKAGES/node_modules`. A `node` among them runs the program. */
  npm: z.array(z.string()).default([]),
  /** Dependencies that are replaced, such as those that aren't in the registry. */
  npmOverrides: Texts.default({}),
  /** `name==version`, in a virtual environment at `$PACKAGES/venv`. */
  pip: z.array(z.string()).default([]),
  /** `group:artifact:version[:packaging[:classifier]]`, in `$PACKAGES/maven`. Archives are unpacked there. */
  maven: z.array(z.string()).default([]),
  /** Adds the dependencies of the Maven artifacts. An artifact of packaging `pom` is a bill of materials. */
  mavenDependencies: z.boolean().default(false),
  /** `module@version`, with the `/folder` of the main package if it isn't at the root. Built to `$PACKAGES/bin`. */
  go: z.array(z.string().regex(/^[^@\s]+@v[^@\s]+$/, 'module@version/folder')).default([]),
  /** Source of a main package that uses the modules instead of theirs, built to `$PACKAGES/bin/lab`. */
  goMain: z.string().default(''),
  /** Linker flags, as for `go build -ldflags`. Release builds of many programs set their version this way. */
  goLinker: z.string().default(''),
  /** Build tags, as for `go build -tags`. */
  goTags: z.string().default(''),
  /** `module=module@version`: forks that the module's own go.mod replaces a dependency with. */
  goReplace: z.array(z.string()).default([]),
  /** Files that modules don't contain, such as a built frontend. The program is built in its own module, with its replacements. */
  goFiles: Texts.default({}),
  /** `name@version`, built to `$PACKAGES/bin`. */
  cargo: z.array(z.string()).default([]),
})
export type Install = z.infer<typeof Install>

const ports = z.array(z.number().int().min(1).max(65535))

const Variant = z.strictObject({
  install: Install.optional(),
  /** Files below the working folder, in addition to those of both variants. */
  files: Texts.default({}),
  /** Shell commands that must complete before the start. */
  before: z.array(z.string()).default([]),
  /** The program in the foreground; several if the program consists of several processes. */
  run: z.union([z.string(), z.array(z.string())]),
  /** User to run as instead of root. */
  user: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  /** Shell commands once all ports are open, retried until they succeed. */
  after: z.array(z.string()).default([]),
  /** Replaces the ports of the entry. */
  tcp: ports.optional(),
  udp: ports.optional(),
  /** Ports that nginx forwards after Basic authentication. The program itself gets the inner address as its own. */
  basicAuth: ports.default([]),
  /** A file with the process ID of a program that leaves its process group. */
  pidFile: z.string().optional(),
  /** IDs of the checks that must prove a weakness. */
  proves: z.array(z.string()).default([]),
  /** Weaknesses that no check covers. They count as expected and as missed. */
  uncovered: z.array(z.string()).default([]),
  /** IDs of other checks whose findings are true. */
  also: z.array(z.string()).default([]),
})
export type Variant = z.infer<typeof Variant>

/** The weak variant behind nginx with Basic authentication. */
const Proxied = z.strictObject({ basicAuth: ports.min(1), also: z.array(z.string()).default([]) })

const Entry = z.strictObject({
  title: z.string(),
  /** The set of an entry that was added later; without it, a digest of the name decides. */
  set: z.enum(['blind', 'developed']).optional(),
  install: Install.prefault({}),
  /** Ports that are open once the program is ready, used by both variants. */
  tcp: ports.default([]),
  udp: ports.default([]),
  /** Scanned instead of the default ports, for programs on unusual ports. */
  scannedPorts: ports.default([]),
  /** Estimated memory of one variant, in MiB. */
  memory: z.number().int().default(80),
  /** Listens on all addresses, so nothing else may run at the same time. */
  exclusive: z.boolean().default(false),
  /** Only listens on addresses that an interface has. */
  interface: z.boolean().default(false),
  files: Texts.default({}),
  /** Intrusive checks to allow, as with `--allow`. */
  allow: z.array(z.enum(['logins', 'writes'])).default([]),
  /** Scanned with a callback server. */
  callbacks: z.boolean().default(false),
  /** Scanned by this name instead of the address; the program is its own DNS server. */
  hostname: z.string().optional(),
  /** `vendor:product` names that must be identified. */
  products: z.array(z.strictObject({ name: z.string().regex(/^[^:]+:[^:]+$/), version: VersionRule })).default([]),
  /** Other names that are correct, such as those of libraries. */
  components: z.array(z.string()).default([]),
  weak: Variant,
  hardened: z.union([Proxied, Variant]).optional(),
  /** Threats that are wrong whenever they are reported. */
  never: z.array(z.string()).default([]),
})

export type Entry = Omit<z.infer<typeof Entry>, 'hardened'> & {
  readonly hardened?: Variant | undefined
  /** The file's name. */
  readonly id: string
  readonly text: string
  /** Belongs to the blind set, which is not used to develop checks. */
  readonly isBlind: boolean
}

const folder = join(import.meta.dirname, '../programs')
/** Chosen once; a program stays in its set when others are added. */
const blindSeed = 'glacis-zoo-1'

/** @throws if a file is invalid, with its name and all problems */
export function readCatalog(): readonly Entry[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => readEntry(basename(name, '.yaml'), readFileSync(join(folder, name), 'utf8')))
}

function readEntry(id: string, text: string): Entry {
  const document = parseDocument(text)
  const [problem] = document.errors
  if (problem) throw new Error(`lab/programs/${id}.yaml is invalid: ${problem.message}`)
  const result = Entry.safeParse(document.toJS())
  if (!result.success) throw new Error(`lab/programs/${id}.yaml is invalid:\n${z.prettifyError(result.error)}`)
  const { hardened, set, weak } = result.data
  return {
    ...result.data,
    hardened: hardened && ('run' in hardened ? hardened : proxied(weak, hardened)),
    id,
    text,
    isBlind: set ? set === 'blind' : isBlind(id),
  }
}

function proxied(weak: Variant, { basicAuth, also }: z.infer<typeof Proxied>): Variant {
  const without = { proves: [], uncovered: [], udp: [] }
  return { ...weak, ...without, basicAuth, tcp: basicAuth, also: ['basic-auth-over-http', ...also] }
}

function isBlind(id: string): boolean {
  const digest = createHash('sha256').update(`${blindSeed} ${id}`).digest()
  return digest.readUInt32BE(0) % 3 === 0
}
