/** What a browser must load before the portal shows, and the heaviest part that comes later. */
import { weights } from '../e2e/bundle.ts'

const { first, later } = await weights()
report('first JavaScript of the portal (gzip)', first, 160)
report('heaviest later part of the portal (gzip)', later[0]?.bytes ?? 0, 40)

function report(figure: string, bytes: number, limit: number): void {
  console.log(JSON.stringify({ figure, value: bytes / 1000, unit: 'kB', limit }))
}
