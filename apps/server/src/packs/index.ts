/** Packs: the world's knowledge as files in public formats, and what of it the database holds. */
export { listFeeds } from '#packs/feeds.ts'
export { type PackFolders, packFolders } from '#packs/folders.ts'
export { syncPacks } from '#packs/sync.ts'
