/** Scan settings of a target: parses user input into the stored form. */
import type { AllowedHours, TargetChange } from '@glacis/contract/target'
import { isProblem, parseAddress, parseExclusion, parsePorts } from '@glacis/scanner'
import { invalid } from '#errors.ts'
import { isTimeZone, timeZoneError } from '#time-zone.ts'
import type { z } from 'zod'

type ScanSettings = Pick<
  z.infer<typeof TargetChange>,
  'exclusions' | 'profile' | 'permissions' | 'ports' | 'ratePerHost'
>

/**
 * The columns of the given settings.
 *
 * @param address the target's address; a URL specifies its port itself
 * @throws ApiError `invalid` with the field that can't be parsed
 */
export function readSettings({ exclusions, profile, permissions, ports, ratePerHost }: ScanSettings, address: string) {
  return {
    ...(exclusions && { exclusions: readExclusions(exclusions) }),
    ...(profile && { profile }),
    ...(permissions && { permissions: [...new Set(permissions)] }),
    ...(ports !== undefined && { ports: readPorts(ports, address) }),
    ...(ratePerHost !== undefined && { rate_per_host: ratePerHost }),
  }
}

/** @throws ApiError `invalid` for an unknown time zone or a duplicate day */
export function readHours(hours: AllowedHours | undefined): AllowedHours | null {
  if (!hours) return null
  if (!isTimeZone(hours.timeZone)) {
    throw invalid('schedule.allowedHours.timeZone', timeZoneError(hours.timeZone))
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
    throw invalid('ports', `The address already specifies port ${target.url.port}. Leave the ports empty`)
  }
  return list.text
}
