/** Platform families: records often require a platform that the inventory doesn't identify exactly. */
import { unquote, type CpeName } from '#wfn.ts'

/** Families of general-purpose operating systems. Records rarely distinguish systems within a family. */
export type PlatformFamily = 'linux' | 'windows' | 'apple' | 'bsd' | 'unix'

const linux = new Set([
  'linux',
  'debian',
  'canonical',
  'redhat',
  'fedoraproject',
  'centos',
  'suse',
  'opensuse',
  'novell',
  'gentoo',
  'alpinelinux',
  'almalinux',
  'rocky',
  'amazon',
  'archlinux',
  'mandriva',
  'slackware',
])

/** The family of a general-purpose operating system; null for firmware, appliances, and other products. */
export function familyOf(name: CpeName): PlatformFamily | null {
  if (name.part !== 'o') return null
  if (linux.has(name.vendor) || (name.vendor === 'oracle' && name.product === 'linux')) return 'linux'
  if (name.vendor === 'microsoft') return 'windows'
  if (name.vendor === 'apple') return 'apple'
  if (/^(?:free|open|net)bsd$/.test(name.vendor)) return 'bsd'
  return /unix|solaris|aix|hp-ux/.test(name.product) ? 'unix' : null
}

/** The family implied by a distribution's revision, such as `Debian-2+deb12u10`. */
export function familyOfRevision(revision: string): PlatformFamily | null {
  if (/freebsd/i.test(revision)) return 'bsd'
  return /debian|deb\d|ubuntu|\bel\d|\.fc\d|alpine|raspbian|suse/i.test(revision) ? 'linux' : null
}

/** Checks whether the firmware belongs to the device: `o:netgear:r7000_firmware` on `h:netgear:r7000`. */
export function isOwnHardware(firmware: CpeName, hardware: CpeName): boolean {
  if (hardware.part !== 'h' || firmware.vendor !== hardware.vendor) return false
  return unquote(firmware.product).replace(/_firmware$/, '') === unquote(hardware.product)
}
