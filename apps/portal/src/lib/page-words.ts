/**
 * The heads of the pages whose words need no data, and what stands under the head of a page that has nothing yet. The
 * build writes them into the document too, which shows them before there is any program; so they stand here once.
 */
export interface PageWords {
  readonly title: string
  readonly lede: string
  /** Whether tabs and tools stand between the head and the rest, whatever that is. */
  readonly hasTabs?: true
  readonly empty?: EmptyWords
  /** What each step of setting up begins with; the first answer says which of them are open. */
  readonly steps?: Readonly<Record<string, { readonly title: string; readonly text: string }>>
}

export interface EmptyWords {
  /** The member of the page's first answer that says how much there is: a number, or a list. */
  readonly of: string
  /** The member of that answer which is there where the page says something else of having nothing. */
  readonly unless?: string
  readonly title: string
  readonly text: string
}

const target =
  'A target is a host, an address or a range that you own. Glacis finds its hosts, recognises their software'

const nothingScanned = {
  of: 'targetCount',
  unless: 'lastScanTime',
  title: 'Nothing has been scanned yet',
  text: 'Add a host, an address or a range that you own; its risks appear here after the first scan.',
}

export const pageWords = {
  overview: {
    title: 'Overview',
    lede: 'How many risks are open, which way they go, and what to look at first on all that you watch.',
    empty: { of: 'targetCount', title: 'Add your first target', text: `${target} and reports the risks here.` },
  },
  onboarding: {
    title: 'Set up Glacis',
    lede: 'Four steps to the first result. You can leave and come back at any time.',
    steps: {
      TARGET: {
        title: 'What should Glacis watch?',
        text: 'Enter what you own or may test: Glacis connects to every address in it.',
      },
      AGENT: {
        title: 'Where should Glacis scan from?',
        text: 'You can mix both. The choice is made per target.',
      },
      SCAN: {
        title: 'Run the first scan',
        text: 'It finds hosts and open ports, names their software, and proves weaknesses with checks that change nothing.',
      },
      NOTIFICATIONS: {
        title: 'How should Glacis tell you?',
        text: 'Of new and returning risks, of emerging threats, and when a scan fails or an agent falls silent.',
      },
    },
  },
  integrations: {
    title: 'Integrations',
    lede: 'Where Glacis sends new and regressed risks. What counts as new is set per technology.',
  },
  verified: {
    title: 'Verified risks',
    lede: 'A check proved each of these on at least one host.',
    hasTabs: true,
    empty: nothingScanned,
  },
  potential: {
    title: 'Potential risks',
    lede: 'Inferred, most of them from a recognised version. No check has proved these yet.',
    hasTabs: true,
    empty: nothingScanned,
  },
  map: {
    title: 'Visual Map',
    lede: 'How products, hosts and threats connect. Select a node to see its links.',
  },
  scope: {
    title: 'Scope',
    lede: 'Targets that Glacis scans on a schedule.',
    empty: { of: 'targets', title: 'Add your first target', text: `${target} and reports the risks.` },
  },
  agents: {
    title: 'Agents',
    lede: 'Agents scan networks that Glacis cannot reach from the internet.',
    empty: { of: 'agents', title: 'No agents yet', text: 'You need one only for networks behind a firewall.' },
  },
  assets: {
    title: 'Assets',
    lede: 'Hosts found while scanning your targets.',
    empty: {
      of: 'hostCount',
      unless: 'lastScanTime',
      title: 'Hosts appear here after the first scan',
      text: 'A scan of a target finds which of its addresses are alive and what runs on them.',
    },
  },
  technologies: {
    title: 'Technologies',
    lede: 'Software and operating systems recognised on your assets.',
    empty: {
      of: 'hostCount',
      unless: 'lastScanTime',
      title: 'Software appears here after the first scan',
      text: 'A scan recognises what services say of themselves and names it as the world’s vulnerability lists do. What you watch stands here too.',
    },
  },
  scans: {
    title: 'Reporting',
    lede: 'Every scan and its report.',
    empty: { of: 'scans', title: 'No scans yet', text: 'Each scan of a target stands here with its report.' },
  },
  profile: { title: 'Profile settings', lede: '' },
  subscription: { title: 'Subscription', lede: '' },
} as const satisfies Readonly<Record<string, PageWords>>
