/** Packs: the world's knowledge as files in public formats, and what of it the database holds. */
export { listFeeds } from '#packs/feeds.ts'
export { type PackFolders, packFolders } from '#packs/folders.ts'
export { loadKnowledge } from '#packs/knowledge.ts'
export { syncPacks } from '#packs/sync.ts'
