/** One change after the other over a selection: one PUT per issue, in order, none lost. */

export interface BulkOutcome {
  readonly done: readonly string[]
  readonly failed: readonly string[]
}

/**
 * Applies `change` to each id in turn and tells after each how many are through.
 * A failure is counted and the next id follows; the promise itself does not reject.
 */
export async function changeEach(
  ids: readonly string[],
  change: (id: string) => Promise<unknown>,
  onProgress: (finished: number) => void,
): Promise<BulkOutcome> {
  const done: string[] = []
  const failed: string[] = []
  for (const id of ids) {
    const list = await change(id).then(
      () => done,
      () => failed,
    )
    list.push(id)
    onProgress(done.length + failed.length)
  }
  return { done, failed }
}
