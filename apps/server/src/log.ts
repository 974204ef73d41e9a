/**
 * The log: one line per event on standard error, as JSON or, in a terminal, as text. Standard output is reserved for
 * command output.
 */
import { styleText } from 'node:util'
import { type DestinationStream, type Logger, pino } from 'pino'
import { z } from 'zod'
import { activeTrace } from '#tracing.ts'

export type { Logger } from 'pino'

/** Field names whose values are redacted. */
const secretKeys = ['authorization', 'cookie', 'set-cookie', 'password', 'token', 'code', 'secret', 'x-session-token']
const secretPaths = secretKeys.flatMap((key) => ['', '*.', '*.*.'].map((depth) => pathTo(depth, key)))

function pathTo(depth: string, key: string): string {
  return key.includes('-') ? `${depth.replace(/\.$/, '')}["${key}"]` : `${depth}${key}`
}

/**
 * Creates the logger.
 *
 * @param level the minimum level, or `silent`
 * @param output defaults to standard error, formatted as text if it is a terminal
 */
export function createLogger({ level, output }: { level: string; output?: DestinationStream }): Logger {
  const destination = output ?? (process.stderr.isTTY ? formatForTerminal(process.stderr) : pino.destination(2))
  return pino(
    {
      level,
      base: null,
      mixin: activeTrace,
      redact: { paths: secretPaths, censor: '…' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  )
}

const Line = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional(),
})

/** Formats JSON log lines as `12:03:59 warn  message  key=value`. */
export function formatForTerminal(terminal: { write(text: string): unknown }): DestinationStream {
  return {
    write(json) {
      const { level, time, msg, err, ...fields } = Line.parse(JSON.parse(json))
      const name = pino.levels.labels[level] ?? String(level)
      const clock = new Date(time).toTimeString().slice(0, 8)
      const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${brief(value)}`)
      const cause = err ? `\n  ${err.stack ?? err.message}` : ''
      terminal.write(`${styleText('dim', clock)} ${painted(name)} ${msg}${styleText('dim', facts.join(''))}${cause}\n`)
    },
  }
}

function brief(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function painted(level: string): string {
  const text = level.padEnd(5)
  if (level === 'warn') return styleText('yellow', text)
  return level === 'error' || level === 'fatal' ? styleText('red', text) : styleText('green', text)
}
