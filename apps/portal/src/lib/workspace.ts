/** The workspace that this browser shows. Requests without one use the workspace that the user used last. */
import { readStored, writeStored } from '#lib/storage.ts'

const name = 'workspace'

/** ID of the chosen workspace, or null. */
export function chosenWorkspace(): string | null {
  return readStored(name) || null
}

/** Pass an empty ID to return to the server's default. */
export function chooseWorkspace(id: string): void {
  writeStored(name, id)
}
