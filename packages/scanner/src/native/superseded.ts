/** One weakness is one finding: the check of a product takes precedence over those of a kind of software. */
import type { Observation } from '@glacis/contract/runner'
import { exposedRecords } from '#native/web/records.ts'
import { openApi } from '#native/web/api.ts'
import { unprotectedOperation } from '#native/web/api-secrets.ts'
import { openAdministration } from '#native/web/admin.ts'
import { openMethods } from '#native/grpc.ts'
import { exposedFile } from '#native/web/folder-files.ts'
import { confidentialFile } from '#native/web/confidential-files.ts'
import { folderAlias, folderTraversal } from '#native/web/folders.ts'
import { debugPage } from '#native/web/parameter-checks.ts'
import { openRedirect } from '#native/web/server-commands.ts'
import { privateKeyPublished } from '#native/web/openid.ts'
import { personalData } from '#native/web/personal-records.ts'
import { peoplePage } from '#native/web/people-pages.ts'
import { redirectContent } from '#native/web/redirect-content.ts'
import { graphqlRecords } from '#native/web/graphql-records.ts'
import { recordPages } from '#native/web/record-pages.ts'
import { streamedData } from '#native/web/sockets.ts'
import { webTerminalOpen } from '#native/web/terminal.ts'
import { openUploadForm } from '#native/web/upload-form.ts'
import { writableApi } from '#native/web/writable.ts'
import {
  authenticationOff,
  connectionFormOpen,
  editorOpen,
  logPageOpen,
  registrationOpen,
  setupOpen,
  sqlConsoleOpen,
} from '#native/web/page-checks.ts'

type Finding = Extract<Observation, { kind: 'finding' }>

/** Kinds, and the tag of the checks that prove the same weakness; empty if only checks at the same path do. */
const tagByKind: ReadonlyMap<string, string> = new Map([
  [setupOpen.id, 'installer'],
  [registrationOpen.id, 'registration'],
  [connectionFormOpen.id, 'panel'],
  [debugPage.id, 'debug'],
  [webTerminalOpen.id, 'terminal'],
  ['command-console-open', 'console'],
  [exposedFile.id, ''],
  [confidentialFile.id, ''],
  [privateKeyPublished.id, ''],
  [folderTraversal.id, 'lfi'],
  [folderAlias.id, 'lfi'],
  [openUploadForm.id, 'unauth'],
  [editorOpen.id, 'unauth'],
  [logPageOpen.id, 'unauth'],
  [sqlConsoleOpen.id, 'unauth'],
  [openAdministration.id, 'unauth'],
  [personalData.id, 'unauth'],
  [recordPages.id, 'unauth'],
  [peoplePage.id, 'unauth'],
  [openApi.id, 'unauth'],
  [unprotectedOperation.id, 'unauth'],
  [streamedData.id, 'unauth'],
  [openMethods.id, 'unauth'],
  [writableApi.id, 'unauth'],
  [exposedRecords.id, 'unauth'],
  [openRedirect.id, 'redirect'],
  [authenticationOff.id, 'unauth'],
])
/** Checks of a part of an application. They prove the same weakness only at the same path. */
const ofOnePath: ReadonlySet<string> = new Set([graphqlRecords.id, redirectContent.id, 'h2-console-open'])
/** Kinds that show data of one part, and checks that also do, such as a list of users next to orders by number. */
const personalKinds: ReadonlySet<string> = new Set([personalData.id, recordPages.id, peoplePage.id])
const ofOneList: ReadonlySet<string> = new Set(['rest-addresses-exposed', 'user-list-exposed'])
/** Kinds that show the same weakness in different ways; the first one found counts. */
const sameWeakness: readonly string[] = [
  sqlConsoleOpen.id,
  openAdministration.id,
  personalData.id,
  openApi.id,
  writableApi.id,
  exposedRecords.id,
  authenticationOff.id,
]

/**
 * Yields all observations, but findings of a kind only at the end, and only those that no other finding on the same port
 * makes redundant.
 *
 * @throws what `observations` throws, after yielding the findings so far
 */
export async function* withoutSuperseded(
  observations: AsyncIterable<Observation>,
  tagsOf: (check: string) => readonly string[],
): AsyncIterable<Observation> {
  const general: Finding[] = []
  const specific: Finding[] = []
  try {
    for await (const observation of observations) {
      const isFinding = observation.kind === 'finding'
      if (isFinding && tagByKind.has(observation.check)) general.push(observation)
      else {
        if (isFinding) specific.push(observation)
        yield observation
      }
    }
  } catch (error) {
    yield* remaining(general, specific, tagsOf)
    throw error
  }
  yield* remaining(general, specific, tagsOf)
}

function remaining(
  general: readonly Finding[],
  specific: readonly Finding[],
  tagsOf: (check: string) => readonly string[],
): Finding[] {
  return general.filter((finding) => {
    const isHere = ({ port, transport }: Finding) => port === finding.port && transport === finding.transport
    const tag = tagByKind.get(finding.check) ?? ''
    const rank = sameWeakness.indexOf(finding.check)
    const isRedundant = general.some(
      (other) =>
        isHere(other) &&
        sameWeakness.slice(0, Math.max(rank, 0)).includes(other.check) &&
        // Changes of one list are another weakness than the data in another one.
        !(finding.check === writableApi.id && other.check === personalData.id && other.location !== finding.location),
    )
    const isSame = (other: Finding) =>
      tag === '' || ofOnePath.has(other.check) || (personalKinds.has(finding.check) && ofOneList.has(other.check))
        ? other.location === finding.location
        : tagsOf(other.check).includes(tag)
    return !isRedundant && !specific.some((other) => isHere(other) && isSame(other))
  })
}
