/** Issues: a threat on this account's hosts, with status and history. */
export { getIssue, issuesOfScan, listIssues } from '#issues/list.ts'
export { assess } from '#issues/assess.ts'
export { closeOfTarget, reopenDue, setIssueStatus } from '#issues/decide.ts'
