import { useEffect, useRef, useState } from 'react'
import { z } from 'zod/mini'
import { portalConfig } from '#lib/portal-config.ts'
import { chosenTheme } from '#lib/theme.ts'
import { Note } from '#ui/note.tsx'

/** Cloudflare Turnstile with explicit rendering. Source: developers.cloudflare.com/turnstile. */
const scriptAddress = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'
const failureText = "Oops! We couldn't confirm you're not a robot. Please refresh and try again."

interface Turnstile {
  render(
    place: HTMLElement,
    options: {
      readonly sitekey: string
      readonly theme: string
      readonly callback: (token: string) => void
      readonly 'error-callback': () => void
      readonly 'expired-callback': () => void
    },
  ): string
  remove(id: string): void
}
const Turnstile = z.custom<Turnstile>((value) => typeof value === 'object' && value !== null && 'render' in value)

/** True if forms require a bot challenge. */
export function hasBotChallenge(): boolean {
  return portalConfig().botChallengeSiteKey !== ''
}

/** The challenge above a submit button. `onChange` receives each token, and undefined when it expires or fails. */
export function BotChallenge({ onChange }: { readonly onChange: (token: string | undefined) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const [token, setToken] = useState('')
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    let widget: string | undefined
    let isUnmounted = false
    const turn = (next: string | undefined) => {
      setToken(next ?? '')
      onChange(next)
    }
    const fail = () => {
      setHasFailed(true)
      turn(undefined)
    }
    const show = async () => {
      const challenge = await turnstile()
      if (isUnmounted || !place.current) return
      widget = challenge.render(place.current, {
        sitekey: portalConfig().botChallengeSiteKey,
        theme: chosenTheme() === 'system' ? 'auto' : chosenTheme(),
        callback: (next) => {
          setHasFailed(false)
          turn(next)
        },
        'error-callback': fail,
        'expired-callback': () => turn(undefined),
      })
    }
    show().catch(fail)
    return () => {
      isUnmounted = true
      const renderedWidget = widget
      if (renderedWidget) void turnstile().then((challenge) => challenge.remove(renderedWidget))
    }
    // The widget lives as long as the form, and `onChange` always updates that form.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return (
    <div className="mt-5 grid gap-3">
      <div ref={place} />
      <input type="hidden" name="transient_payload.captcha_turnstile_response" value={token} />
      {hasFailed && <Note variant="red">{failureText}</Note>}
    </div>
  )
}

function turnstile(): Promise<Turnstile> {
  const present = Turnstile.safeParse((globalThis as Record<string, unknown>)['turnstile'])
  if (present.success) return Promise.resolve(present.data)
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = scriptAddress
    script.async = true
    script.onload = () => turnstile().then(resolve, reject)
    script.onerror = () => reject(new Error('the bot challenge could not be loaded'))
    document.head.append(script)
  })
}
