/** Empty states of lists that depend on a feed without records, so that "nothing found" isn't mistaken for "nothing there". */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export interface FeedGap {
  readonly feed: string
  readonly isDownloading: boolean
  /** The user can open the installation's page, where feeds are listed. */
  readonly isAdministrator: boolean
}

/** @param unknown what the list can't answer: "whether this technology has known vulnerabilities" */
export function feedGapState(
  { feed, isDownloading, isAdministrator }: FeedGap,
  unknown: string,
): { readonly title: string; readonly text: ReactNode } {
  if (isDownloading)
    return { title: `${feed} is being downloaded`, text: `Until it's complete, Glacis can't tell ${unknown}.` }
  return {
    title: `${feed} has never been downloaded`,
    text: (
      <>
        Without this feed, Glacis can't tell {unknown}.{' '}
        {isAdministrator ? (
          <Link to="/installation" hash="feeds" className="inline-link">
            Set up feeds
          </Link>
        ) : (
          'Ask the administrators of your Glacis installation to set up feeds.'
        )}
      </>
    ),
  }
}
