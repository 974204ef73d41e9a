/** How a target is scanned: what a person wrote, read into the form in which it is stored. */
import type { AllowedHours, TargetChange } from '@glacis/contract/target'
import { isProblem, parseAddress, parseExclusion, parsePorts } from '@glacis/scanner'
import { invalid } from '#errors.ts'
import { isTimeZone } from '#targets/schedule.ts'
import type { z } from 'zod'

type Given = Pick<z.infer<typeof TargetChange>, 'exclusions' | 'profile' | 'ports' | 'ratePerHost'>

/**
 * The columns of those settings that are given.
 *
 * @param address of the target; a URL names its port itself
 * @throws Refusal `invalid` naming the member that cannot be understood
 */
export function readSettings({ exclusions, profile, ports, ratePerHost }: Given, address: string) {
  return {
    ...(exclusions && { exclusions: readExclusions(exclusions) }),
    ...(profile && { profile }),
    ...(ports !== undefined && { ports: readPorts(ports, address) }),
    ...(ratePerHost !== undefined && { rate_per_host: ratePerHost }),
  }
}

/** @throws Refusal `invalid` when the time zone is unknown or a day stands there twice */
export function readHours(hours: AllowedHours | undefined): AllowedHours | null {
  if (!hours) return null
  if (!isTimeZone(hours.timeZone)) {
    throw invalid('schedule.allowedHours.timeZone', `There is no time zone '${hours.timeZone}'; write Europe/Zurich`)
  }
  const days = hours.days && [...new Set(hours.days)].toSorted((a, b) => a - b)
  const { days: _, ...rest } = hours
  return days && days.length < 7 ? { ...rest, days } : rest
}

function readExclusions(texts: readonly string[]): string[] {
  const read = texts.map((text, index) => {
    const exclusion = parseExclusion(text)
    if ('problem' in exclusion) throw invalid(`exclusions.${index}`, exclusion.problem)
    return exclusion.text
  })
  return [...new Set(read)]
}

function readPorts(text: string, address: string): string {
  const list = parsePorts(text)
  if ('problem' in list) throw invalid('ports', list.problem)
  const target = parseAddress(address)
  if (list.text !== '' && !isProblem(target) && target.url) {
    throw invalid('ports', `The address names port ${target.url.port} itself; leave the ports empty`)
  }
  return list.text
}
