/** The notices that stack at the bottom right: a store, because calls raise them as well as screens. */
import { useSyncExternalStore } from 'react'

export type ToastKind = 'success' | 'info' | 'error'
export interface ToastAction {
  /** A verb: "Undo". */
  readonly label: string
  readonly run: () => void
}
export interface Toast {
  readonly id: number
  readonly kind: ToastKind
  readonly title: string
  readonly message: string
  /** What a press of its button does, once. */
  readonly action?: ToastAction | undefined
  /** Being dismissed: it fades and is removed `toastLeaveMs` later. */
  readonly isLeaving: boolean
}

/** Time between dismissal and removal, in milliseconds; equals `--gl-dur-toast-leave`. */
export const toastLeaveMs = 500
/** How long a success stays, in milliseconds. Errors stay until dismissed. */
export const successToastMs = 10_000
const infoToastMs = 10_000
const shownMax = 4

interface Countdown {
  timer: ReturnType<typeof setTimeout> | undefined
  startedAt: number
  leftMs: number
}

let toasts: readonly Toast[] = []
let lastId = 0
const countdowns = new Map<number, Countdown>()
const listeners = new Set<() => void>()

/**
 * Shows a notice and gives its id. `timeoutMs` overrides the kind's own time;
 * `Infinity` keeps it until somebody dismisses it.
 */
export function addToast(
  kind: ToastKind,
  {
    title,
    message,
    timeoutMs = defaultTimeMs(kind),
    action,
  }: { title: string; message: string; timeoutMs?: number; action?: ToastAction },
): number {
  const id = ++lastId
  const sameIsUp = toasts.find((toast) => !toast.isLeaving && toast.title === title && toast.message === message)
  if (sameIsUp && !action) return sameIsUp.id
  publish([...toasts, { id, kind, title, message, action, isLeaving: false }])
  if (Number.isFinite(timeoutMs)) startCountdown(id, timeoutMs)
  const standing = toasts.filter((toast) => !toast.isLeaving)
  if (standing[0] && standing.length > shownMax) dismissToast(standing[0].id)
  return id
}

/** Lets a notice leave: it fades, and half a second later it is gone. */
export function dismissToast(id: number): void {
  const toast = toasts.find((candidate) => candidate.id === id)
  if (!toast || toast.isLeaving) return
  clearTimeout(countdowns.get(id)?.timer)
  countdowns.delete(id)
  publish(toasts.map((candidate) => (candidate.id === id ? { ...candidate, isLeaving: true } : candidate)))
  setTimeout(() => publish(toasts.filter((candidate) => candidate.id !== id)), toastLeaveMs)
}

/** Stops every clock while somebody reads. */
export function pauseToasts(): void {
  for (const countdown of countdowns.values()) {
    clearTimeout(countdown.timer)
    countdown.leftMs -= Date.now() - countdown.startedAt
  }
}

/** Lets the clocks run on from where they stopped. */
export function resumeToasts(): void {
  for (const [id, { leftMs }] of countdowns) startCountdown(id, Math.max(0, leftMs))
}

/** What is on show now, oldest first. */
export function shownToasts(): readonly Toast[] {
  return toasts
}

/** The notices on show, for the view. */
export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, shownToasts)
}

function defaultTimeMs(kind: ToastKind): number {
  if (kind === 'success') return successToastMs
  return kind === 'info' ? infoToastMs : Infinity
}

function startCountdown(id: number, leftMs: number): void {
  countdowns.set(id, { timer: setTimeout(() => dismissToast(id), leftMs), startedAt: Date.now(), leftMs })
}

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
