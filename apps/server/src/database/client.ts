/**
 * The connections of the pools. Most answers need a dozen small statements, and most of what those
 * cost is not the work of the database but their way there: reading a text that is always the same,
 * and waiting for one answer before the next question.
 */
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { Client, type QueryConfig } from 'pg'

/** Texts that the database keeps parsed for each connection; a plan takes some ten kilobytes there. */
const keptMax = 150
/** Texts come into being without end where a list is part of them; one that comes again is worth keeping. */
const sightsMin = 3
const sightingsMax = 2000

/** How often each text was sent by this process, until it is kept. */
const sightings = new Map<string, number>()
const namesByText = new Map<string, string>()

/**
 * A client that sends what is asked in one turn of the event loop as one packet, without waiting for
 * the answers in between, and has the database keep the statements that come again. Each statement
 * succeeds or fails by itself, in the order in which they were asked.
 */
export class TersePgClient extends Client {
  #isGathering = false

  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(typeof config === 'object' ? { ...config, pipeline: true } : config)
    // Without a listener a connection that breaks between two statements of somebody would end the process. The next
    // statement fails, and the pool takes back none that is broken.
    this.on('error', () => undefined)
  }

  // The many shapes of `query` are those of pg; only a text with its values is looked at.
  override query(...given: unknown[]): never {
    this.#gather()
    const [text, values] = given
    const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0
    const name = isPlain ? nameOf(text) : undefined
    const asked = isPlain && name ? [{ name, text, values } satisfies QueryConfig, ...given.slice(2)] : given
    return Reflect.apply(super.query, this, asked) as never // as pg answers that shape
  }

  #gather(): void {
    if (this.#isGathering) return
    const stream = streamOf(this)
    if (!stream) return
    this.#isGathering = true
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }
}

/** The socket below, which pg keeps in a member that its types do not name. */
function streamOf(client: object): Socket | null {
  const { connection } = client as { connection?: { stream?: Socket } }
  return connection?.stream ?? null
}

function nameOf(text: string): string | undefined {
  const known = namesByText.get(text)
  if (known || namesByText.size >= keptMax) return known
  const seen = (sightings.get(text) ?? 0) + 1
  if (seen < sightsMin) {
    if (sightings.size >= sightingsMax) sightings.clear()
    sightings.set(text, seen)
    return undefined
  }
  sightings.delete(text)
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  namesByText.set(text, name)
  return name
}
