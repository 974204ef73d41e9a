/** Administration of the installation as a whole, across workspaces. */
export type { Administration } from '#installation/administration.ts'
export { listAccounts, listAllWorkspaces, setAccountState } from '#installation/accounts.ts'
export {
  accessOf,
  appointFirstAdministrator,
  grantAdministration,
  revokeAdministration,
  signInNetworks,
} from '#installation/administrators.ts'
export { listQueues, retryJob, sendTestEmail } from '#installation/background.ts'
export { getInstallation, setInstallationNetworks } from '#installation/overview.ts'
