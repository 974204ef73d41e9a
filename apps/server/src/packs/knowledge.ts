import { readFile } from 'node:fs/promises'
import { type Knowledge, readDistributionFixes } from '@glacis/intelligence'
import type { Log } from '#ctx.ts'
import type { PackFolders } from '#packs/folders.ts'

/** Loads the matcher's input besides threat records. Unreadable files are skipped and logged. */
export async function loadKnowledge({ distributions }: PackFolders, log: Log): Promise<Knowledge> {
  const documents: unknown[] = []
  for (const file of distributions) {
    try {
      const document: unknown = JSON.parse(await readFile(file, 'utf8'))
      readDistributionFixes([document])
      documents.push(document)
    } catch (error) {
      log.warn({ file, err: error }, 'pack file rejected')
    }
  }
  return { distributionFixes: readDistributionFixes(documents) }
}
